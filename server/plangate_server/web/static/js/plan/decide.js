/** The decision about exactly what is shown: its review, its revision, its digest. */

import { DecidingPanel } from "../deciding/panel.js";
import { submitReview } from "../gate/calls.js";
import { mayDecide } from "../gate/roles.js";
import { alongSign, alongWords } from "./along.js";
import { APPROVE, CHANGES, EDIT, REJECT } from "./options.js";
import { outcomeOf } from "./outcome.js";
import { wordsForm } from "./words_form.js";

const KEYS = [
  ["Enter", "Approve what is shown", APPROVE],
  ["Escape", "Reject, with words", REJECT],
  ["r", "Request changes, with words", CHANGES],
  ["e", "Edit, and approve as edited", EDIT],
];

export function decidePanel(page) {
  const options = () => page.shown?.item.choices ?? [];
  const panel = new DecidingPanel({
    subject: () => `${page.shown.item.review.approvalRequestId} ${page.shown.item.plan.digest}`,
    isOpen: () => options().length > 0 && mayDecide(),
    options,
    title: () => outcomeOf.title(page.shown.item),
    outcome: () => outcomeOf(page.shown),
    pick,
    sign: alongSign,
  });

  function pick(option) {
    if (option === APPROVE) decide({ selectedOption: option });
    else if (option === EDIT) page.edit();
    else askForWords(option);
  }

  function askForWords(option) {
    const choice = options().find(({ value }) => value === option);
    const send = async (words) => panel.isFree && decide({ selectedOption: option, feedbackText: words });
    panel.ask(wordsForm(page, choice, option === CHANGES, send, () => panel.showChoices()));
    page.tellAlong();
  }

  /** Whatever happens on the way, it is about what was on the screen when it was made. */
  async function decide(humanReview, more = {}, where = undefined) {
    const { review, plan } = page.shown.item;
    if (review.digest !== plan.digest || review.revision !== plan.revision) return false;
    const { approvalRequestId, revision, digest } = review;
    const write = submitReview({ approvalRequestId, revision, digest, humanReview, ...more });
    return panel.send(write, humanReview.selectedOption, () => page.refresh(), where);
  }

  /** A key says what its button says. */
  function keyWords(words, option) {
    return () => [words, ...(panel.isOffered(option) ? [alongWords(option, page.shown, page.hasEdits())] : [])].filter(Boolean).join("; ");
  }

  const keys = KEYS.map(([key, words, option]) => [key, keyWords(words, option), option]);
  return Object.assign(panel, { decide, bindings: panel.keys(keys) });
}
