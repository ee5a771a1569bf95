/** Begins: signs in, listens, shows the page of the address. */

import { whoAmI } from "./gate/calls.js";
import { onSignedOut } from "./gate/http.js";
import { listen } from "./gate/live.js";
import { askForToken, signInByLink } from "./gate/sign_in.js";
import { store } from "./gate/store.js";
import { inboxPage } from "./inbox/page.js";
import { logPage } from "./log/page.js";
import { planPage } from "./plan/page.js";
import { startAccount } from "./ui/account.js";
import { startArrivals } from "./ui/arrivals.js";
import { showLine } from "./ui/connection.js";
import { startKeys } from "./ui/keys.js";
import { startRouter } from "./ui/router.js";
import { keepCounting } from "./ui/times.js";

startAccount();
onSignedOut(askForToken);
await signInByLink();
store.keepMe(await whoAmI());
startArrivals();
startKeys();
keepCounting();
startRouter([
  [/^\/$/, inboxPage],
  [/^\/plans\/([^/]+)$/, planPage],
  [/^\/log$/, logPage],
]);
listen({ heard: (kind, body) => store.heard(kind, body), line: showLine, signIn: askForToken });
