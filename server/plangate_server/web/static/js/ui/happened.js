/** What happened, in people's words: who did it stands before them. */

import { count, lower, short } from "./words.js";

const PREFIX = "REVIEW_EVENT_TYPE";

const WORDS = {
  DRAFT_UPDATED: "went on writing the plan",
  PLAN_CREATED: "proposed the plan",
  PLAN_APPROVAL_REQUIRED: "asked for a decision",
  PLAN_UPDATED: "sent a new revision",
  COMMENT_ADDED: "commented",
  COMMENT_RESOLVED: "resolved a comment",
  PLAN_APPROVED: "approved the plan",
  PLAN_REJECTED: "rejected the plan",
  PLAN_MODIFICATION_REQUESTED: "requested changes",
  PLAN_EDITED: "edited the plan and approved it as edited",
  REVIEW_EXPIRED: "ended the review: nobody decided in time",
  PLAN_WITHDRAWN: "withdrew the plan",
  PLAN_REFERENCED: "refers to the plan from now on",
  DECISION_DELIVERED: "delivered the decision to the agent",
  DECISION_ACKNOWLEDGED: "acknowledged the decision",
  BUILD_STARTED: "began to build",
  TODOS_CHANGED: "moved todos on",
  EXECUTION_COMPLETED: "completed the build",
  EXECUTION_FAILED: "ended the build: it failed",
  APPROVAL_RECORDED: "gave one of the approvals that are needed",
  TOOL_CALL_CANCELLED: "took a tool call back",
  TOOL_CALL_EXPIRED: "ended a tool call: nobody answered in time",
  SESSION_MODE_CHANGED: "changed the session's mode",
  FULL_ACCESS_CHANGED: "changed full access",
  SESSION_MOVED: "reported where the session stands",
  DECISION_REMEMBERED: "had an answer remembered",
  DECISION_FORGOTTEN: "had a remembered answer forgotten",
  MEMORY_RESET: "had remembered answers forgotten",
  TOKEN_CREATED: "made a token",
  TOKEN_REVOKED: "revoked a token",
  BREAK_GLASS_USED: "broke the glass: approved past the rules",
};

const ANSWERS = {
  APPROVED: "approved a tool call",
  APPROVED_FOR_SESSION: "approved a tool call for the session",
  DENIED: "denied a tool call",
};

const WANTED = {
  approve: "approve",
  rejectAndTellWhatToDoDifferently: "reject",
  requestChanges: "request changes",
  edit: "approve with edits",
  APPROVED: "approve a tool call",
  APPROVED_FOR_SESSION: "approve a tool call for the session",
  DENIED: "deny a tool call",
  confirm: "confirm full access",
  decline: "decline full access",
};

const REASONS = {
  ALREADY_DECIDED: "somebody had decided before",
  STALE_REVISION: "it was about another text than the plan has",
  ROLE_NOT_ALLOWED: "this role may not decide",
  OWN_REQUEST: "the same person had asked for it",
  PLAN_WITHDRAWN: "the agent had withdrawn the plan",
  REVIEW_EXPIRED: "the review had expired",
  PROMPT_NOT_ACTIVE: "the call was not the one that waited",
  FULL_ACCESS_NOT_PENDING: "nobody had asked for full access",
};

const DECIDED = new Set(["PLAN_APPROVED", "PLAN_REJECTED", "PLAN_MODIFICATION_REQUESTED", "PLAN_EDITED"]);
const BAD = new Set(["PLAN_REJECTED", "EXECUTION_FAILED", "REVIEW_EXPIRED", "DECISION_REFUSED", "BREAK_GLASS_USED"]);
const GOOD = new Set(["PLAN_APPROVED", "PLAN_EDITED", "EXECUTION_COMPLETED", "APPROVAL_RECORDED"]);

export function happened(event) {
  const type = short(event.type, PREFIX);
  if (type === "DECISION_REFUSED") return `wanted to ${WANTED[event.refused?.selectedOption] ?? "decide"}, and was refused`;
  if (type === "TOOL_CALL_REQUESTED") return `asked to use ${event.approval?.toolName ?? "a tool"}`;
  if (type === "TOOL_CALL_DECIDED") return ANSWERS[short(event.approval?.decision, "APPROVAL_DECISION")] ?? "answered a tool call";
  return (WORDS[type] ?? lower(event.type, PREFIX)) + withComments(type, event.review);
}

/** Only these take comments along; others tell of the review as it was then. */
function withComments(type, review) {
  const number = DECIDED.has(type) ? (review?.comments?.length ?? 0) + (review?.commentsLeftOut ?? 0) : 0;
  return number ? `, with ${count(number, "comment")}` : "";
}

/** What somebody said with it, or what it was about. */
export function said(event) {
  if (event.refused) return whyRefused(event.refused);
  if (event.comment) return event.comment.text;
  if (event.message) return event.message;
  if (event.approval) return [event.approval.command, event.approval.feedbackText].filter(Boolean).join("\n");
  if (event.remembered) return `${event.remembered.toolName}: ${event.remembered.signature}`;
  return (event.todos ?? []).map((todo) => `${todo.id}: ${lower(todo.status, "TODO_STATUS")}`).join(", ");
}

function whyRefused({ reason, revision }) {
  const words = `${REASONS[reason] ?? "see the reason"} (${reason})`;
  return Number(revision) ? `${words}; they had seen revision ${revision}` : words;
}

export function tone(event) {
  const type = short(event.type, PREFIX);
  if (event.approval?.decision === "APPROVAL_DECISION_DENIED" && type === "TOOL_CALL_DECIDED") return "bad";
  if (type === "TOOL_CALL_DECIDED") return "good";
  return BAD.has(type) ? "bad" : GOOD.has(type) ? "good" : "quiet";
}
