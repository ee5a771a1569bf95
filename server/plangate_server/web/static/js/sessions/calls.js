/** The session's tool calls: those that wait, in their order, and those of before, the last first. */

import { callRow } from "../calls/row.js";
import { every, listApprovals } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { button, h, keyed, say } from "../ui/dom.js";
import { count } from "../ui/words.js";

const WAITING = ["APPROVAL_STATE_ACTIVE", "APPROVAL_STATE_QUEUED"];
const ENDED = ["APPROVAL_STATE_DECIDED", "APPROVAL_STATE_CANCELLED", "APPROVAL_STATE_EXPIRED"];
const FIRST = 20;

export function sessionCalls(sessionId) {
  const rows = h("ol", { class: "rows", "aria-label": "Tool calls of the session" });
  const sum = h("p", { class: "sum" }, "Loading");
  const problem = h("p", { class: "problem", role: "alert" });
  const more = button("", () => ((shown = Infinity), show()), { hidden: true });
  const section = h("section", { "aria-labelledby": "calls-title" }, h("div", { class: "section-head" }, h("h2", { id: "calls-title" }, "Tool calls"), sum), problem, rows, more);
  let shown = FIRST;
  let waiting = [];
  let ended = [];

  function show() {
    const past = ended.slice(0, shown);
    keyed(rows, [...waiting, ...past], (call) => call.callId, callRow);
    say(sum, `${waiting.length || "None"} ${waiting.length > 1 ? "wait" : "waits"}, ${ended.length || "none"} ended.`);
    more.hidden = past.length === ended.length;
    say(more, `Show ${count(ended.length - past.length, "older call")}`);
  }

  async function load() {
    try {
      waiting = await every(listApprovals, { sessionId, states: WAITING }, "approvals");
      ended = (await every(listApprovals, { sessionId, states: ENDED }, "approvals")).reverse();
      say(problem, "");
      show();
    } catch (error) {
      say(sum, "");
      say(problem, error.message);
    }
  }

  section.leave = store.on(["event", "ready"], (event, kind) => (kind === "ready" || (event.sessionId === sessionId && event.approval)) && load());
  load();
  return section;
}
