/** Where one decides about what is shown beside it: the choices, what is asked before one is sent, or what became of it. */

import { fill, h, say } from "../ui/dom.js";
import { contentChanged, focusPage, isSettled, onContentChange, whenSettled } from "../ui/settling.js";
import { choiceButtons } from "./choices.js";
import { sending } from "./sending.js";

/**
 * What it is about: subject() names it, isOpen() says whether one can decide, options() gives the choices, title() and
 * outcome() tell what it has come to. pick(value) when one is chosen; sign(value), if given, stands on its button.
 */
export class DecidingPanel {
  #about;
  #title = h("h2", { id: "decide-title", tabindex: "-1" }, "Your decision");
  #why = h("p", { class: "why", role: "status" });
  #place = h("div", { class: "place" });
  #choices;
  #reasons = new Map();
  #offered = null;
  #isBusy = false;
  #isWaiting = false;
  #stop = onContentChange(() => this.#enable());

  constructor(about) {
    this.#about = about;
    this.#choices = choiceButtons((value) => this.pick(value), about.sign);
    this.element = h("section", { class: "decide", "aria-labelledby": "decide-title" }, this.#title, this.#why, this.#place);
  }

  /** Nothing is decided while something is on its way, or against a reason, or about what has just appeared. */
  get isFree() {
    return this.#about.isOpen() && !this.#isBusy && !this.#reasons.size && isSettled();
  }

  /** Why nobody can decide now; empty if they can. */
  get reason() {
    return (this.#about.isOpen() ? [...this.#reasons.values()][0] : this.#about.title()) ?? "";
  }

  /** For each a key, its words, and the choice that it makes. */
  keys(rows) {
    return rows.map(([key, words, value]) => ({ key, words, decides: true, act: () => hasFocus() && this.pick(value) }));
  }

  isOffered(value) {
    return this.#about.isOpen() && this.#about.options().some((choice) => choice.value === value);
  }

  pick(value) {
    if (this.isFree && this.isOffered(value)) this.#about.pick(value);
  }

  blockedBy(name, reason) {
    if (reason) this.#reasons.set(name, reason);
    else this.#reasons.delete(name);
    this.#enable();
  }

  /** What is on its way, and how it went, stays until it has been read. */
  show() {
    const isOpen = this.#about.isOpen();
    say(this.#title, isOpen ? "Your decision" : this.#about.title());
    if (isOpen) this.#choices.show(this.#about.options());
    if (!this.#isBusy) this.#showNow(isOpen);
    this.#enable();
  }

  #showNow(isOpen) {
    const subject = isOpen ? this.#about.subject() : null;
    if (!isOpen) fill(this.#place, this.#about.outcome());
    else if (subject !== this.#offered) this.showChoices();
    this.#offered = subject;
  }

  showChoices() {
    const wasInside = this.#place.contains(document.activeElement);
    fill(this.#place, this.#choices.element);
    if (wasInside) focusPage();
    else contentChanged();
  }

  ask(form) {
    fill(this.#place, form);
    this.#enable();
    form.querySelector("textarea, input").focus();
  }

  /** One click, one request. look(answer) when it is over; a refusal leaves what was asked as it is. True if it arrived. */
  async send(write, what, look, where = this.#place) {
    const asked = this.#place.firstElementChild;
    const subject = this.#about.subject();
    this.#isBusy = true;
    this.#enable();
    const answer = await sending(where, write, what);
    this.#isBusy = false;
    await look(answer);
    if (!answer && this.#about.isOpen() && this.#about.subject() === subject) fill(this.#place, asked);
    else this.#offered = null;
    this.show();
    contentChanged();
    this.#title.focus({ preventScroll: true });
    return Boolean(answer);
  }

  leave() {
    this.#isBusy = true;
    this.#stop();
  }

  /**
   * A button that may not be pressed stays in place and keeps the focus: one that vanished would hand the focus, and
   * with it the next Enter, to the page.
   */
  #enable() {
    say(this.#why, this.#about.isOpen() ? this.reason : "");
    const isFree = this.isFree;
    for (const each of this.#place.querySelectorAll("[data-decides]")) each.setAttribute("aria-disabled", String(!isFree));
    if (isSettled() || this.#isWaiting) return;
    this.#isWaiting = true;
    whenSettled(() => {
      this.#isWaiting = false;
      this.#enable();
    });
  }
}

/** What had the focus may have gone with what it was in: then the next Enter was meant for that. */
function hasFocus() {
  return document.activeElement !== document.body;
}
