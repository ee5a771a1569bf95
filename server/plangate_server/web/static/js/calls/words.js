/** Tool calls in people's words. */

import { h } from "../ui/dom.js";
import { hiddenIn, marked } from "../ui/hidden.js";
import { chip, count, short } from "../ui/words.js";

export const YES = "APPROVED";
export const FOR_SESSION = "APPROVED_FOR_SESSION";
export const NO = "DENIED";
const KINDS = { TERMINAL: "command", EDIT: "patch", MCP: "MCP call" };
const ANSWERS = { [YES]: "approved", [FOR_SESSION]: "approved for the session", [NO]: "denied" };
const SHOWN = 120;
const FILE = /^(?:\+\+\+ (?:b\/)?|\*\*\* (?:Add|Update|Delete) File: )(\S.*)$/;

export function kindOf(call) {
  return KINDS[short(call.kind, "TOOL_KIND")] ?? "tool call";
}

export function stateOf(call) {
  return short(call.state, "APPROVAL_STATE");
}

/** "ada denied", "the rule full_access approved", "expired". */
export function answerOf(call) {
  const state = stateOf(call);
  if (state === "ACTIVE") return "waits for an answer";
  if (state === "QUEUED") return `waits behind ${count(call.position ?? 0, "other")}`;
  if (state === "EXPIRED") return "expired: nobody answered in time";
  if (state === "CANCELLED") return "taken back by the agent";
  const by = call.source === "DECISION_SOURCE_AUTO" ? `the rule ${call.rule}` : call.reviewer;
  return `${by} ${ANSWERS[short(call.decision, "APPROVAL_DECISION")] ?? "answered"}`;
}

export function answerTone(call) {
  const state = stateOf(call);
  if (state === "DECIDED") return call.decision === "APPROVAL_DECISION_DENIED" ? "bad" : "good";
  return state === "ACTIVE" || state === "QUEUED" ? "waits" : "quiet";
}

/** A line break at the very end begins no other line. */
export function linesOf(text) {
  const lines = text.split("\n");
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** What it does, for a list: as much as fits in a line, and how much more there is. */
export function beginning(call) {
  const kind = kindOf(call);
  const lines = linesOf(call.command);
  const first = (kind === "patch" ? patched(lines) : lines[0]).trimEnd();
  const more = [
    first.length > SHOWN && `${(first.length - SHOWN).toLocaleString()} more characters`,
    kind === "patch" && count(lines.length.toLocaleString(), "line"),
    kind !== "patch" && lines.length > 1 && count((lines.length - 1).toLocaleString(), "more line"),
  ].filter(Boolean);
  const unseen = hiddenIn(call.command);
  return [
    kind === "MCP call" && [h("code", {}, marked(call.toolName)), " "],
    h("code", { class: kind === "MCP call" ? "arguments" : "" }, marked(first.slice(0, SHOWN))),
    more.length > 0 && h("span", { class: "more" }, ` … ${more.join(", ")}`),
    unseen > 0 && [" ", chip(count(unseen.toLocaleString(), "hidden character"), "bad")],
  ];
}

/** The files of a patch; of a text that is none, its first line. */
function patched(lines) {
  const files = lines.map((line) => FILE.exec(line)?.[1]).filter(Boolean);
  return files.length ? [...new Set(files)].join(", ") : lines[0];
}
