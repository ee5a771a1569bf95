/** The gate's names in people's words. */

import { h } from "./dom.js";

const STATES = {
  DRAFT: ["being written", "quiet"],
  IN_REVIEW: ["waits for review", "waits"],
  CHANGES_REQUESTED: ["changes requested", "waits"],
  APPROVED: ["approved", "good"],
  REJECTED: ["rejected", "bad"],
  EXPIRED: ["expired", "bad"],
  BUILDING: ["being built", "busy"],
  COMPLETED: ["completed", "good"],
  FAILED: ["failed", "bad"],
  WITHDRAWN: ["withdrawn", "quiet"],
};

const OUTCOMES = {
  APPROVED: "Approved",
  REJECTED: "Rejected",
  CHANGES_REQUESTED: "Changes requested",
  MODIFIED: "Approved with edits",
  EXPIRED: "Expired: nobody decided in time",
  WITHDRAWN: "Withdrawn by the agent",
  SUPERSEDED: "Superseded by a newer revision",
};

const OPTIONS = {
  approve: "approved",
  rejectAndTellWhatToDoDifferently: "rejected",
  requestChanges: "requested changes",
  edit: "approved with edits",
};

/** The last part of an enum's name: PLAN_STATE_IN_REVIEW with the prefix PLAN_STATE is IN_REVIEW. */
export function short(name, prefix) {
  return (name ?? "").replace(`${prefix}_`, "");
}

/** The same for people: "in review". */
export function lower(name, prefix) {
  return short(name, prefix).toLowerCase().replaceAll("_", " ");
}

export function stateChip(plan) {
  const [words, tone] = STATES[short(plan.state, "PLAN_STATE")] ?? ["unknown", "quiet"];
  return chip(words, tone);
}

export function chip(words, tone = "quiet") {
  return h("span", { class: `chip ${tone}` }, words);
}

export function outcome(review) {
  return OUTCOMES[short(review.outcome, "REVIEW_OUTCOME")] ?? "Waits";
}

export function chosen(option) {
  return OPTIONS[option] ?? option;
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${Number(number) === 1 ? one : many}`;
}

/** The lines that a comment is about. */
export function linesOf({ firstLine = 0, lastLine = 0 }) {
  if (!firstLine) return "the whole plan";
  return lastLine > firstLine ? `lines ${firstLine}–${lastLine}` : `line ${firstLine}`;
}
