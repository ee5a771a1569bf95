/** What to do when nothing waits. */

import { h } from "../ui/dom.js";

export function emptyInbox() {
  return h(
    "section",
    { class: "empty" },
    h("h2", {}, "Nothing waits"),
    h("p", {}, "Plans and tool calls of agents appear here by themselves, as soon as they come. To see one now:"),
    h("pre", { tabindex: "0" }, h("code", {}, "echo '# Say hello' | plangate propose - --todo 'write it' --todo 'send it' --wait")),
    h("p", {}, "Leave this page open: its tab counts what waits, and Notify me lets the browser tell you."),
  );
}
