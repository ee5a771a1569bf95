/** Edit a plan: first the text beside its preview, then what was changed, then the gate. Nothing typed gets lost. */

import { updatePlan } from "../../gate/calls.js";
import { button, fill, h, say } from "../../ui/dom.js";
import { contentChanged, isSettled, whenSettled } from "../../ui/settling.js";
import { beside } from "../changes/beside.js";
import { inBrief, otherChanges } from "../changes/facts.js";
import { rowsOf } from "../changes/rows.js";
import { alongSign } from "../along.js";
import { dropText, keepText, keptText } from "../kept.js";
import { EDIT } from "../options.js";
import { outcomeOf } from "../outcome.js";
import { sending } from "../../deciding/sending.js";
import { contentOf, draftOf } from "./draft.js";
import { editorFields } from "./fields.js";
import { preview } from "./preview.js";

const PAUSE = 200;
const SEND = () => h("kbd", {}, "Ctrl+Enter");
const BACK = () => h("kbd", {}, "Esc");

export class PlanEditor {
  #page;
  #hooks;
  #draft = null;
  #dropped = null;
  #timer = 0;
  #isBusy = false;
  #title = h("h2", { id: "editor-title", tabindex: "-1" });
  #brief = h("p", { class: "brief", role: "status" });
  #buttons = h("div", { class: "buttons" });
  #note = h("div", { class: "note", role: "status" });
  #answer = h("div", { class: "answer" });
  #fields = editorFields(() => this.#changed());
  #preview = preview();
  #writing = h("div", { class: "columns" }, this.#fields, this.#preview);
  #reviewing = h("div", { class: "changes own" });

  /** opened() when somebody begins, closed() when they have left. */
  constructor(page, hooks) {
    this.#page = page;
    this.#hooks = hooks;
    const head = h("div", { class: "editor-head" }, h("div", {}, this.#title, this.#brief), this.#buttons);
    this.element = h(
      "section",
      { class: "editor", hidden: true, "aria-labelledby": "editor-title", on: { keydown: (event) => this.#pressed(event) } },
      [head, this.#note, this.#answer, this.#writing, this.#reviewing],
    );
    this.keys = [{ key: "Escape", words: "Leave, keep the text", act: () => this.#back() }];
  }

  get isOpen() {
    return this.#draft !== null;
  }

  /** Whether there are changes that nobody has sent. */
  get hasKept() {
    return keptText(this.#place) !== null;
  }

  open() {
    this.#draft = JSON.parse(keptText(this.#place)) ?? draftOf(this.#base);
    this.element.hidden = false;
    this.#hooks.opened();
    fill(this.#answer);
    this.#showDraft();
    this.#write();
  }

  /** The gate has something else now: what was typed stays, and it is said what it is compared with. */
  show(shown, before) {
    if (!this.isOpen) return;
    this.#tellOfBase();
    if (before?.item.plan.digest === shown.item.plan.digest) return;
    this.#showDraft();
    this.#write();
  }

  /** Keep what was typed, and say what it amounts to. */
  look() {
    clearTimeout(this.#timer);
    if (!this.isOpen) return;
    if (this.#isSame) dropText(this.#place);
    else keepText(this.#place, JSON.stringify(this.#draft));
    this.#fields.tellHidden();
    this.#preview.show(this.#draft.plan, this.#fields.line());
    const rows = rowsOf(this.#base.plan ?? "", this.#content.plan);
    say(this.#brief, `You changed: ${inBrief(this.#base, this.#content, rows)}`);
  }

  get #place() {
    return `edit ${this.#page.planUri}`;
  }

  get #base() {
    return this.#page.shown.item.plan;
  }

  get #content() {
    return contentOf(this.#draft, this.#base);
  }

  get #isSame() {
    return JSON.stringify(this.#content) === JSON.stringify(contentOf(draftOf(this.#base), this.#base));
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), PAUSE);
  }

  #showDraft() {
    this.#fields.show(this.#draft, this.#base);
    this.#tellOfBase();
  }

  #write() {
    this.#writing.hidden = false;
    this.#reviewing.hidden = true;
    this.#title.textContent = `Edit revision ${this.#base.revision}`;
    const other = this.#dropped ? "Bring my changes back" : "Drop my changes";
    fill(
      this.#buttons,
      button(["See what you changed ", SEND()], () => this.#review(), { class: "primary" }),
      button(["Leave, keep the text ", BACK()], () => this.#leave()),
      button(other, () => this.#drop(), { class: "quiet" }),
    );
    this.look();
    this.#fields.focusText();
  }

  /** Before anything is sent: what is different, and nothing else. */
  #review() {
    this.look();
    if (this.#isSame) return this.#tell("Nothing is changed yet. To say yes to the plan as it is, leave and approve it.");
    const rows = rowsOf(this.#base.plan ?? "", this.#content.plan);
    fill(this.#answer);
    fill(this.#reviewing, otherChanges(this.#base, this.#content), rows.some((row) => !row.same) && beside(rows));
    this.#writing.hidden = true;
    this.#reviewing.hidden = false;
    this.#title.textContent = `Your changes to revision ${this.#base.revision}`;
    contentChanged();
    const approve = button(["Approve as edited ", alongSign(EDIT), " ", SEND()], () => this.#approve(), { class: "primary good" });
    const save = button("Save without approving", () => this.#save());
    fill(this.#buttons, whenCalm(approve), whenCalm(save), button(["Back to the text ", BACK()], () => this.#write()));
    this.#page.tellAlong();
    this.#title.focus();
    return scrollTo(0, 0);
  }

  #approve() {
    const edited = { edited: this.#content, editedWhole: true };
    return this.#send(() => this.#page.decision.decide({ selectedOption: EDIT }, edited, this.#answer));
  }

  /** As a new revision, which is asked about anew. */
  #save() {
    const { isSpec, ...args } = this.#content;
    const request = { planUri: this.#page.planUri, expectedRevision: this.#base.revision, args, isSpec, whole: true };
    return this.#send(() => sending(this.#answer, updatePlan(request), "save"));
  }

  /** One click, one request; a refusal leaves everything as it is. */
  async #send(ask) {
    if (this.#isBusy || !isSettled()) return;
    const reason = this.#page.decision.reason;
    if (reason) {
      this.#tell(`${reason} Your text is kept.`);
      return;
    }
    this.#isBusy = true;
    const isDone = await ask();
    this.#isBusy = false;
    fill(this.#answer);
    if (!isDone || !this.isOpen) return;
    this.#draft = draftOf(this.#base);
    this.#leave();
    await this.#page.showNewest();
  }

  #leave() {
    this.look();
    this.#draft = this.#dropped = null;
    this.element.hidden = true;
    this.#hooks.closed();
  }

  /** Begin again from what the gate has; once more, and it is as it was. */
  #drop() {
    [this.#draft, this.#dropped] = [this.#dropped ?? draftOf(this.#base), this.#dropped ? null : this.#draft];
    this.#showDraft();
    this.#write();
  }

  #tellOfBase() {
    const { item } = this.#page.shown;
    const { revision } = this.#base;
    const began = this.#draft.revision;
    fill(
      this.#note,
      !item.choices?.length && h("p", {}, `${outcomeOf.title(item)}: this cannot be sent any more. Your text is kept; copy what you need.`),
      began !== revision &&
        h("p", {}, `You began this on revision ${began}. What you send takes the place of revision ${revision}: look at what you changed against it, or drop your changes to begin again from it.`),
    );
  }

  #tell(words) {
    fill(this.#answer, h("p", { class: "problem", role: "alert" }, words));
  }

  #pressed(event) {
    if (event.isComposing || event.defaultPrevented) return;
    const isSend = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!isSend && event.key !== "Escape") return;
    event.preventDefault();
    if (event.repeat) return;
    if (!isSend) this.#back();
    else if (this.#reviewing.hidden) this.#review();
    else this.#approve();
  }

  #back() {
    if (this.#reviewing.hidden) this.#leave();
    else this.#write();
  }
}

/** Nobody sends what has just come under their eyes. */
function whenCalm(element) {
  element.setAttribute("aria-disabled", "true");
  whenSettled(() => element.removeAttribute("aria-disabled"));
  return element;
}
