/** Full access: asked about in words, confirmed by a person, and ended with one click. */

import { confirmFullAccess, setMode } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { ask } from "../ui/ask.js";
import { marked } from "../ui/hidden.js";
import { count } from "../ui/words.js";
import { asksForFullAccess } from "./words.js";

/** Ask the person, and give it if they mean it; asked for first, if no agent has done so. */
export async function giveFullAccess(session) {
  const waiting = session.queueLength ?? 0;
  const meant = await ask(
    ["Full access for session ", marked(session.sessionId), "?"],
    [
      "It will use every tool that no rule denies without asking anybody: commands, patches, MCP calls.",
      waiting > 0 && `${count(waiting, "call")} that ${waiting === 1 ? "waits" : "wait"} now will be answered with yes.`,
      "What an operator's rule or a remembered no denies stays denied. It lasts until somebody switches it off.",
    ].filter(Boolean),
    "Give full access",
    "bad",
  );
  if (!meant) return;
  const { sessionId } = session;
  const asked = asksForFullAccess(session) ? session : await changed(setMode({ sessionId, mode: "SESSION_MODE_FULL_ACCESS" }));
  if (asksForFullAccess(asked)) await changed(confirmFullAccess({ sessionId, confirm: true }));
}

export function declineFullAccess({ sessionId }) {
  return changed(confirmFullAccess({ sessionId, confirm: false }));
}

export function giveMode({ sessionId }, mode) {
  return changed(setMode({ sessionId, mode: `SESSION_MODE_${mode}` }));
}

async function changed(write) {
  const { session } = await write.send();
  store.keepSession(session);
  return session;
}
