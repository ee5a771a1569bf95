/** What became of a call, by whom, and with which words; or why nobody can answer it here now. */

import { mayDecide, onlyLooking } from "../gate/roles.js";
import { callAddress, sessionAddress } from "../gate/addresses.js";
import { h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { clock } from "../ui/times.js";
import { reachOf } from "./reach.js";
import { answerOf, stateOf } from "./words.js";

const TITLES = { ACTIVE: "Waits for an answer", QUEUED: "Waits its turn", CANCELLED: "Taken back", EXPIRED: "Expired" };

export function outcomeTitle(call) {
  const yes = call.decision !== "APPROVAL_DECISION_DENIED";
  return TITLES[stateOf(call)] ?? (yes ? "Approved" : "Denied");
}

/** `told` has the prompt that is active in the session, `remembered` what this page has had remembered. */
export function callOutcome(call, told, remembered) {
  const state = stateOf(call);
  const first = told?.prompt;
  return h(
    "div",
    { class: "outcome" },
    state === "DECIDED" && h("p", {}, marked(answerOf(call)), ` at ${clock(call.decideTime)}`),
    call.feedbackText && h("blockquote", {}, marked(call.feedbackText)),
    call.breakGlassReason && h("p", {}, "Past the rules, because: ", marked(call.breakGlassReason)),
    state === "EXPIRED" && h("p", {}, "Nobody answered in time. That is neither a yes nor a no; the agent was told so."),
    state === "CANCELLED" && h("p", {}, "The agent does not want to do this any more."),
    state === "QUEUED" && h("p", {}, "One call of a session is asked about at a time, in the order in which they came."),
    (state === "ACTIVE" || state === "QUEUED") && !mayDecide() && h("p", {}, onlyLooking()),
    remembered && h("p", {}, "Remembered. ", reachOf(remembered), " ", forgetLink(call)),
    first && first.callId !== call.callId && next(first, told.queueLength ?? 1),
  );
}

function forgetLink(call) {
  return h("a", { href: sessionAddress(call.sessionId) }, "The session's page forgets it again.");
}

function next(prompt, waiting) {
  const words = waiting > 1 ? `The next of ${waiting} calls that wait in this session` : "The next call of this session";
  return h("p", { class: "next" }, h("a", { href: callAddress(prompt) }, words), " ", h("kbd", {}, "j"));
}
