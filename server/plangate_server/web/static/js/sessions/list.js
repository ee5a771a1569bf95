/** All sessions, those that began last first, and what is remembered for all of them. */

import { store } from "../gate/store.js";
import { fill, h, keyed, say } from "../ui/dom.js";
import { useKeys } from "../ui/keys.js";
import { rowKeys } from "../ui/rows.js";
import { count } from "../ui/words.js";
import { rememberedList } from "./remembered.js";
import { sessionRow } from "./row.js";

export function sessionsPage(root) {
  const sum = h("p", { class: "sum" });
  const filter = h("input", {
    type: "search",
    placeholder: "Filter by session",
    "aria-label": "Filter sessions",
    on: { input: show },
  });
  const rows = h("ol", { class: "rows sessions", "aria-label": "Sessions" });
  const nothing = h("p", { class: "empty", hidden: true }, "No agent has named a session yet.");
  const remembered = rememberedList("");
  fill(root, h("div", { class: "page-head" }, h("h1", {}, "Sessions"), sum, filter), nothing, rows, remembered);

  function show() {
    const all = [...store.sessions.values()].sort((one, other) => Date.parse(other.createTime) - Date.parse(one.createTime));
    const words = filter.value.toLowerCase();
    const matching = all.filter((session) => session.sessionId.toLowerCase().includes(words));
    keyed(rows, matching, (session) => session.sessionId, sessionRow);
    filter.hidden = all.length < 2 && !filter.value;
    nothing.hidden = !store.sessionsKnown || all.length > 0;
    say(sum, store.sessionsKnown ? sumOf(all.length, matching.length) : "Loading");
  }

  useKeys([...rowKeys(rows, "session"), { key: "/", words: "Filter", act: () => filter.focus() }]);
  show();
  const stop = store.on(["sessions"], show);
  return () => {
    stop();
    remembered.leave();
  };
}

function sumOf(all, matching) {
  return matching === all ? `${count(all, "session")}.` : `${matching} of ${count(all, "session")}.`;
}
