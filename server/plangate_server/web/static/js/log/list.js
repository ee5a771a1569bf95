/** The entries that are drawn, newest first. They are never more than so many; those beyond are read again on demand. */

import { button, fill, h } from "../ui/dom.js";
import { logEntry } from "./entry.js";
import { learnName } from "./names.js";
import { reader } from "./reading.js";

const DRAWN = 200;

export class EntryList {
  #log;
  #list = h("ol", { class: "log", "aria-label": "Entries, newest first" });
  #state = h("p", { class: "loading", role: "status" }, "Loading");
  #newer = button("Newer entries", () => this.#enqueue(() => this.#showNewer()), { hidden: true });
  #older = button("Older entries", () => this.#enqueue(() => this.#showOlder()), { hidden: true });
  #work = Promise.resolve();
  #isBegun = false;
  #isAsked = false;
  #isLeft = false;

  constructor(filters) {
    this.#log = reader(filters);
    this.parts = [this.#newer, this.#list, this.#state, this.#older];
  }

  /** Show what has come, unless the person looks at older entries. */
  look() {
    if (this.#isAsked || !this.#newer.hidden) return;
    this.#isAsked = true;
    this.#enqueue(() => {
      this.#isAsked = false;
      if (!this.#newer.hidden) return undefined; // the person went on to older entries meanwhile
      return this.#isBegun ? this.#showArrived() : this.#showOlder();
    });
  }

  leave() {
    this.#isLeft = true;
  }

  /** One look at a time; what could not be read is said, and read when the connection is back. */
  #enqueue(look) {
    this.#work = this.#work.then(async () => {
      if (this.#isLeft) return;
      try {
        await look();
        this.#sum();
      } catch (error) {
        fill(this.#state, h("span", { class: "problem" }, `The log could not be read: ${error.message}`));
      }
    });
  }

  async #showOlder() {
    const { entries, isEnd } = await this.#log.older();
    this.#isBegun = true;
    this.#list.append(...drawn(entries));
    this.#older.hidden = isEnd;
    const cut = this.#cut([...this.#list.children].slice(0, -DRAWN));
    if (!cut) return;
    this.#newer.hidden = false;
    this.#log.newerThan(this.#list.firstElementChild.dataset.cursor);
  }

  async #showNewer() {
    const { isEnd } = await this.#prepend();
    this.#newer.hidden = isEnd;
  }

  async #showArrived() {
    for (let isEnd = false; !isEnd; ) {
      const shown = await this.#prepend();
      for (const item of shown.items) item.classList.add("arrived");
      isEnd = shown.isEnd;
    }
  }

  async #prepend() {
    const { entries, isEnd } = await this.#log.newer();
    const items = drawn(entries.reverse());
    this.#list.prepend(...items);
    if (this.#cut([...this.#list.children].slice(DRAWN))) {
      this.#older.hidden = false;
      this.#log.olderThan(this.#list.lastElementChild.dataset.cursor);
    }
    return { items, isEnd };
  }

  #cut(items) {
    for (const item of items) item.remove();
    return items.length;
  }

  #sum() {
    const words = this.#list.children.length ? "There are no older entries." : "No entry fits.";
    fill(this.#state, this.#older.hidden ? words : "");
  }
}

function drawn(entries) {
  for (const { event } of entries) learnName(event);
  return entries.map(logEntry);
}
