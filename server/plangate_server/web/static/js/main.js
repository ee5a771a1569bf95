/** Begins: signs in, listens, shows the page of the address. */

import { whoAmI } from "./gate/calls.js";
import { onSignedOut } from "./gate/http.js";
import { isAgent } from "./gate/roles.js";
import { askForToken, followOtherTabs, signInByLink } from "./gate/sign_in.js";
import { store } from "./gate/store.js";
import { Tabs } from "./gate/tabs.js";
import { callPage } from "./calls/page.js";
import { inboxPage } from "./inbox/page.js";
import { logPage } from "./log/page.js";
import { planPage } from "./plan/page.js";
import { startAccessBanners } from "./sessions/banner.js";
import { sessionsPage } from "./sessions/list.js";
import { startSessions } from "./sessions/load.js";
import { sessionPage } from "./sessions/page.js";
import { tried } from "./ui/beginning.js";
import { tellAgent } from "./ui/agents.js";
import { startAccount } from "./ui/account.js";
import { startArrivals } from "./ui/arrivals.js";
import { showLine } from "./ui/connection.js";
import { startKeys } from "./ui/keys.js";
import { startRouter } from "./ui/router.js";
import { keepCounting } from "./ui/times.js";

startAccount();
onSignedOut(askForToken);
followOtherTabs();
await tried(async () => {
  await signInByLink();
  store.keepMe(await whoAmI());
});
startArrivals();
startKeys();
startAccessBanners();
startSessions();
keepCounting();
startRouter([
  [/^\/$/, inboxPage],
  [/^\/plans\/([^/]+)$/, planPage],
  [/^\/sessions$/, sessionsPage],
  [/^\/sessions\/([^/]+)$/, sessionPage],
  [/^\/sessions\/([^/]+)\/calls\/([^/]+)$/, callPage],
  [/^\/log$/, logPage],
]);
if (isAgent()) tellAgent();
else new Tabs(store, { line: showLine, signIn: askForToken }).follow();
