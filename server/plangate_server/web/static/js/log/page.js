/** The event log, newest first: everything that happened, and the proof that nobody changed it. */

import { store } from "../gate/store.js";
import { button, fill, h } from "../ui/dom.js";
import { useKeys } from "../ui/keys.js";
import { logEntry } from "./entry.js";
import { asked, chosenFilters, filterBar } from "./filters.js";
import { learnName } from "./names.js";
import { reader } from "./reading.js";
import { verifyPanel } from "./verify.js";

export function logPage(root) {
  const filters = chosenFilters();
  const log = reader(asked(filters));
  const list = h("ol", { class: "log", "aria-label": "Entries, newest first" });
  const state = h("p", { class: "loading", role: "status" }, "Loading");
  const more = button("Older entries", () => enqueue(older), { hidden: true });
  const { press, result } = verifyPanel();
  fill(root, h("div", { class: "page-head" }, h("h1", {}, "Log"), filterBar(filters), press), result, list, state, more);

  let left = false;
  let isBegun = false;
  let work = Promise.resolve();

  /** One look at a time; what could not be read is said, and read when the connection is back. */
  function enqueue(look) {
    work = work.then(async () => {
      if (left) return;
      try {
        await look();
      } catch (error) {
        fill(state, h("span", { class: "problem" }, `The log could not be read: ${error.message}`));
      }
    });
  }

  async function older() {
    const { entries, isEnd } = await log.older();
    isBegun = true;
    list.append(...shown(entries));
    more.hidden = isEnd;
    sum();
  }

  async function newer() {
    if (!isBegun) return older();
    for (let entries; (entries = await log.newer()).length; ) {
      const items = shown(entries.reverse());
      for (const item of items) item.classList.add("arrived");
      list.prepend(...items);
    }
    return sum();
  }

  function sum() {
    const words = list.children.length ? "There are no older entries." : "No entry fits.";
    fill(state, more.hidden ? words : "");
  }

  let isAsked = false;
  function look() {
    if (isAsked) return;
    isAsked = true;
    enqueue(() => {
      isAsked = false;
      return newer();
    });
  }

  useKeys([{ key: "v", words: "Verify the chain", act: () => press.click() }]);
  look();
  const stop = store.on(["event", "ready"], look);
  return () => {
    left = true;
    stop();
  };
}

/** Newest first. */
function shown(entries) {
  for (const { event } of entries) learnName(event);
  return entries.map(logEntry);
}
