/** Sessions in people's words. */

import { chip, short } from "../ui/words.js";

export const STATES = {
  IDLE: ["idle", "Nothing is going on."],
  CLASSIFY: ["looking", "The agent looks whether the task needs a plan."],
  PLAN_REQUIRED: ["needs a plan", "The task needs a plan."],
  ARCHITECT_PLANNING: ["planning", "The plan is being made."],
  PLAN_REVIEW: ["in review", "People are being asked about the plan."],
  PLAN_EXECUTION: ["building", "The approved plan is being built."],
  COMPLETED: ["done", "The work is done."],
  ERROR_HANDLING: ["failed", "The work failed."],
};

export const MODES = {
  AGENT: ["agent", "Tools that do more than read are asked about."],
  PLAN: ["plan", "Read only: tools that write or execute are denied, whatever else is allowed."],
  FULL_ACCESS: ["full access", "Every tool that no rule denies is used without asking."],
};
const TONES = { AGENT: "quiet", PLAN: "busy", FULL_ACCESS: "bad" };

export function modeOf(session) {
  return short(session.mode, "SESSION_MODE");
}

export function modeChip(session) {
  return chip(`mode: ${MODES[modeOf(session)]?.[0] ?? "unknown"}`, TONES[modeOf(session)]);
}

export function fsmOf(session) {
  return short(session.fsmState, "FSM_STATE");
}

export function stateWords(session) {
  return STATES[fsmOf(session)]?.[0] ?? "unknown";
}

export function asksForFullAccess(session) {
  return session.fullAccessState === "FULL_ACCESS_STATE_PENDING_CONFIRMATION";
}

export function hasFullAccess(session) {
  return session.fullAccessState === "FULL_ACCESS_STATE_ACTIVE";
}

export function sendWords(session) {
  return session.canSend ? "takes messages" : "takes no message while a tool call waits";
}
