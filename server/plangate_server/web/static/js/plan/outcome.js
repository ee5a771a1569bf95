/** How a review ended, by whom, with which words, and which comments went along. */

import { h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { linked } from "../ui/links.js";
import { clock } from "../ui/times.js";
import { chosen, count, linesOf, outcome } from "../ui/words.js";

export function outcomeOf({ item: { review, plan }, events }) {
  return h(
    "div",
    { class: "outcome" },
    review.source === "DECISION_SOURCE_AUTO" && h("p", {}, "By the rule ", h("b", {}, marked(review.rule ?? "")), "."),
    (review.decisions ?? []).map(decided),
    wentAlong(review),
    review.outcome === "REVIEW_OUTCOME_CHANGES_REQUESTED" && h("p", {}, "The agent's next revision shows up here."),
    plan.state === "PLAN_STATE_DRAFT" && h("p", {}, "The agent is still writing. You are asked when it is done."),
    plan.state === "PLAN_STATE_WITHDRAWN" && whyWithdrawn(events),
    review.status === "REVIEW_STATUS_REQUESTED" && h("p", {}, "You can read this, and somebody else decides."),
  );
}

outcomeOf.title = ({ review, plan }) => {
  if (plan.state === "PLAN_STATE_DRAFT") return "Being written";
  if (plan.state === "PLAN_STATE_WITHDRAWN") return "Withdrawn by the agent";
  return outcome(review);
};

/** Where it was said that another plan has taken its place, that plan is one click away. */
function whyWithdrawn(events) {
  const { message } = events.findLast(({ type }) => type === "REVIEW_EVENT_TYPE_PLAN_WITHDRAWN") ?? {};
  return message && h("blockquote", {}, linked(message));
}

/** The comments that the agent got with the decision. */
function wentAlong({ comments = [], commentsLeftOut = 0 }) {
  if (!comments.length) return null;
  return h(
    "details",
    { class: "went-along", open: true },
    h("summary", {}, wentWords(comments.length)),
    h("ul", {}, comments.map(sentComment)),
    commentsLeftOut > 0 && h("p", {}, `${count(commentsLeftOut, "more comment")} did not fit: the agent is told how many, and can ask for them.`),
  );
}

function sentComment({ author, text, quotedText, ...lines }) {
  return h(
    "li",
    {},
    h("p", {}, h("b", {}, marked(author)), ` on ${linesOf(lines)}`),
    quotedText && h("pre", { class: "quoted" }, marked(quotedText)),
    h("p", { class: "words" }, marked(text)),
  );
}

function wentWords(number) {
  return `${count(number, "comment")} went along`;
}

/** What people decided about a revision before, in brief. */
export function decidedOn({ decisions = [], comments = [], commentsLeftOut = 0 }) {
  const along = comments.length + commentsLeftOut;
  return [decisions.map(decided), along > 0 && h("p", { class: "along" }, `${wentWords(along)}.`)];
}

function decided(decision) {
  return h(
    "div",
    { class: "decision" },
    h("p", {}, h("b", {}, marked(decision.reviewer)), ` ${chosen(decision.selectedOption)} at ${clock(decision.time)}`),
    decision.feedbackText && h("blockquote", {}, marked(decision.feedbackText)),
    decision.breakGlassReason && h("p", {}, "Past the rules, because: ", marked(decision.breakGlassReason)),
  );
}
