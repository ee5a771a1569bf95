/** For whoever signs in with an agent's token: it is let in, and hears nothing of what waits. */

import { signOutButton } from "./account.js";
import { banner } from "./banners.js";
import { say } from "./dom.js";

export function tellAgent() {
  say(document.getElementById("line"), "Not listening");
  banner(
    "role",
    "waits",
    "This is an agent's token. It can look at sessions, and decides nothing; what waits is for reviewers.",
    signOutButton("Sign in as a reviewer"),
  );
}
