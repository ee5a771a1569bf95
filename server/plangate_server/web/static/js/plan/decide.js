/** The decision about exactly what is shown: its review, its revision, its digest. */

import { submitReview } from "../gate/calls.js";
import { mayDecide } from "../gate/roles.js";
import { fill, h } from "../ui/dom.js";
import { isSettled, whenSettled } from "../ui/settling.js";
import { choiceButtons } from "./choices.js";
import { outcomeOf } from "./outcome.js";
import { sending } from "./sending.js";
import { wordsForm } from "./words_form.js";

export const APPROVE = "approve";
export const REJECT = "rejectAndTellWhatToDoDifferently";
export const CHANGES = "requestChanges";
export const EDIT = "edit";

export function decidePanel(page) {
  const title = h("h2", { id: "decide-title", tabindex: "-1" }, "Your decision");
  const place = h("div", { class: "place" });
  const why = h("p", { class: "why", role: "status" });
  const panel = h("section", { class: "decide", "aria-labelledby": "decide-title" }, title, why, place);
  const reasons = new Map();
  const choices = choiceButtons(pick);
  let busy = false;

  const isOpen = () => page.shown?.item.choices?.length > 0 && mayDecide();
  const isFree = () => isOpen() && !busy && reasons.size === 0;

  function pick(option) {
    if (!isFree() || !isSettled()) return;
    if (option === APPROVE) decide({ selectedOption: option });
    else if (option === EDIT) page.edit();
    else askForWords(option);
  }

  function askForWords(option) {
    const choice = page.shown.item.choices.find(({ value }) => value === option);
    const send = async (words) => isFree() && isSettled() && decide({ selectedOption: option, feedbackText: words });
    const form = wordsForm(page, choice, option === CHANGES, send, showChoices);
    fill(place, form);
    form.querySelector("textarea").focus();
  }

  /** One click, one request: whatever happens on the way, it is about what was on the screen when it was made. */
  async function decide(humanReview, more = {}, where = place) {
    const { review, plan } = page.shown.item;
    if (review.digest !== plan.digest || review.revision !== plan.revision) return false;
    const { approvalRequestId, revision, digest } = review;
    const write = submitReview({ approvalRequestId, revision, digest, humanReview, ...more });
    busy = true;
    enable();
    const answer = await sending(where, write, humanReview.selectedOption);
    busy = false;
    await page.refresh();
    if (answer) title.focus({ preventScroll: true });
    else showChoices();
    return Boolean(answer);
  }

  function showChoices() {
    const wasInside = place.contains(document.activeElement);
    fill(place, choices.element);
    enable();
    if (wasInside) document.getElementById("main").focus({ preventScroll: true });
  }

  function enable() {
    const problem = [...reasons.values()][0] ?? "";
    if (why.textContent !== problem) why.textContent = isOpen() ? problem : "";
    choices.enable(isFree() && isSettled());
    if (isFree() && !isSettled()) whenSettled(enable);
  }

  panel.show = ({ item }, before) => {
    const wasOpen = before && before.item.choices?.length > 0;
    title.textContent = isOpen() ? "Your decision" : outcomeOf.title(item);
    choices.show(item.choices ?? []);
    if (!isOpen()) fill(place, outcomeOf(item));
    else if (!wasOpen || !before || before.item.plan.digest !== item.plan.digest) showChoices();
    enable();
  };
  panel.blockedBy = (name, reason) => {
    if (reason) reasons.set(name, reason);
    else reasons.delete(name);
    enable();
  };
  panel.decide = decide;
  panel.reason = () => (isOpen() ? [...reasons.values()][0] : outcomeOf.title(page.shown.item)) ?? "";
  panel.keys = [
    { key: "Enter", words: "Approve what is shown", decides: true, act: () => pick(APPROVE) },
    { key: "Escape", words: "Reject, with words", decides: true, act: () => pick(REJECT) },
    { key: "r", words: "Request changes, with words", decides: true, act: () => pick(CHANGES) },
    { key: "e", words: "Edit, and approve as edited", decides: true, act: () => pick(EDIT) },
  ];
  panel.leave = () => {
    busy = true;
  };
  return panel;
}
