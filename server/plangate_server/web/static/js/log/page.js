/** The event log, newest first: everything that happened, and the proof that nobody changed it. */

import { store } from "../gate/store.js";
import { fill, h } from "../ui/dom.js";
import { useKeys } from "../ui/keys.js";
import { asked, chosenFilters, filterBar } from "./filters.js";
import { EntryList } from "./list.js";
import { verifyPanel } from "./verify.js";

export function logPage(root) {
  const filters = chosenFilters();
  const list = new EntryList(asked(filters));
  const { press, result } = verifyPanel();
  fill(root, h("div", { class: "page-head" }, h("h1", {}, "Log"), filterBar(filters), press), result, list.parts);
  useKeys([{ key: "v", words: "Verify the chain", act: () => press.click() }]);
  list.look();
  const stop = store.on(["event", "ready"], () => list.look());
  return () => {
    list.leave();
    stop();
  };
}
