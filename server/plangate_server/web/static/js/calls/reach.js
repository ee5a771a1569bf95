/** How far a remembered answer reaches, in words: what it covers, and what is still asked about. */

import { h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { clock } from "../ui/times.js";

const COMMAND = "TOOL_KIND_TERMINAL";

/** The same for what is remembered and for what would be: both have the fields of a Remembered. */
export function reachOf(remembered) {
  const allows = remembered.decision !== "APPROVAL_DECISION_DENIED";
  return [
    allows ? "Yes, without asking: " : "No, without asking: ",
    what(remembered),
    ", ",
    where(remembered),
    ", ",
    remembered.expireTime ? `until ${clock(remembered.expireTime)}` : "until somebody forgets it",
    ". ",
    allows ? beyondYes(remembered) : beyondNo(remembered),
  ];
}

function what({ kind, toolName, signature, isPattern }) {
  const tool = h("b", {}, marked(toolName));
  const said = h("code", {}, marked(signature));
  if (kind === COMMAND) return [tool, isPattern ? " with any command like " : " with the command ", said];
  if (isPattern) return ["any call of ", tool, ", whatever is in it"];
  if (kind === "TOOL_KIND_EDIT") return [tool, " with this very patch, to the byte"];
  return [tool, " with the very same arguments", !signature.startsWith("sha256:") && [" ", said]];
}

function where({ scope, sessionId }) {
  if (scope === "REMEMBER_SCOPE_WORKSPACE") return "in every session of the workspace";
  return ["in the session ", marked(sessionId)];
}

function beyondNo({ kind }) {
  const hidden = kind === COMMAND ? "Also where such a command may be hidden in another one. " : "";
  return `${hidden}It comes before every yes, and before full access.`;
}

function beyondYes({ kind, signature, isPattern }) {
  if (kind !== COMMAND) return isPattern ? "Other tools are still asked about." : "All else of this tool is still asked about.";
  const words = signature.trim().split(/ +/);
  return [
    isPattern && words.includes("*") && "* is any one word that is no option, and leads nowhere else. ",
    isPattern && words.at(-1) === "**" && "** is any further words, and options that name no program. ",
    "Still asked about: other words, other tools, and all that has ; & | > or $ in it.",
  ];
}
