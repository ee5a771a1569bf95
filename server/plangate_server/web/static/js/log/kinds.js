/** Entries by what they are about, as people look for them. */

const KINDS = {
  decisions: [
    "Decisions",
    ["PLAN_APPROVED", "PLAN_REJECTED", "PLAN_MODIFICATION_REQUESTED", "PLAN_EDITED", "APPROVAL_RECORDED", "REVIEW_EXPIRED", "BREAK_GLASS_USED"],
  ],
  refused: ["Refused decisions", ["DECISION_REFUSED"]],
  plans: ["Plans and revisions", ["PLAN_CREATED", "PLAN_APPROVAL_REQUIRED", "PLAN_UPDATED", "PLAN_WITHDRAWN", "DRAFT_UPDATED", "PLAN_REFERENCED"]],
  comments: ["Comments", ["COMMENT_ADDED", "COMMENT_RESOLVED"]],
  receipts: ["Receipts", ["DECISION_DELIVERED", "DECISION_ACKNOWLEDGED"]],
  builds: ["Builds and todos", ["BUILD_STARTED", "TODOS_CHANGED", "EXECUTION_COMPLETED", "EXECUTION_FAILED"]],
  tools: [
    "Tool calls",
    [
      ...["TOOL_CALL_REQUESTED", "TOOL_CALL_DECIDED", "TOOL_CALL_CANCELLED", "TOOL_CALL_EXPIRED"],
      ...["DECISION_REMEMBERED", "DECISION_FORGOTTEN", "MEMORY_RESET"],
    ],
  ],
  sessions: ["Sessions and modes", ["SESSION_MODE_CHANGED", "FULL_ACCESS_CHANGED", "SESSION_MOVED"]],
  tokens: ["Tokens", ["TOKEN_CREATED", "TOKEN_REVOKED"]],
};

export const ALL_KINDS = Object.entries(KINDS).map(([kind, [label]]) => [kind, label]);

/** The gate's types of a kind; none of a kind that there is not, which means all. */
export function typesOf(kind) {
  const [, types] = KINDS[kind] ?? ["", []];
  return types.map((type) => `REVIEW_EVENT_TYPE_${type}`);
}
