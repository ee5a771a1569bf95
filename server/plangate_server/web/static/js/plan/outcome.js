/** How a review ended, by whom, and with which words. */

import { h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { clock } from "../ui/times.js";
import { chosen, outcome } from "../ui/words.js";

export function outcomeOf({ review, plan }) {
  const decisions = review.decisions ?? [];
  return h(
    "div",
    { class: "outcome" },
    review.source === "DECISION_SOURCE_AUTO" && h("p", {}, "By the rule ", h("b", {}, marked(review.rule ?? "")), "."),
    decisions.map(decided),
    review.outcome === "REVIEW_OUTCOME_CHANGES_REQUESTED" && h("p", {}, "The agent's next revision shows up here."),
    plan.state === "PLAN_STATE_DRAFT" && h("p", {}, "The agent is still writing. You are asked when it is done."),
    review.status === "REVIEW_STATUS_REQUESTED" && h("p", {}, "You can read this, and somebody else decides."),
  );
}

outcomeOf.title = ({ review, plan }) => {
  if (plan.state === "PLAN_STATE_DRAFT") return "Being written";
  return outcome(review);
};

export function decided(decision) {
  return h(
    "div",
    { class: "decision" },
    h("p", {}, h("b", {}, marked(decision.reviewer)), ` ${chosen(decision.selectedOption)} at ${clock(decision.time)}`),
    decision.feedbackText && h("blockquote", {}, marked(decision.feedbackText)),
    decision.breakGlassReason && h("p", {}, "Past the rules, because: ", marked(decision.breakGlassReason)),
  );
}
