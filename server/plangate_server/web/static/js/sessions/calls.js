/** The session's tool calls: those that wait, in their order, and those of before, the last first. */

import { callRow } from "../calls/row.js";
import { again } from "../gate/again.js";
import { every, listApprovals } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { button, h, keyed, say } from "../ui/dom.js";
import { count } from "../ui/words.js";
import { section } from "./section.js";

const WAITING = ["APPROVAL_STATE_ACTIVE", "APPROVAL_STATE_QUEUED"];
const ENDED = ["APPROVAL_STATE_DECIDED", "APPROVAL_STATE_CANCELLED", "APPROVAL_STATE_EXPIRED"];
const FIRST = 20;

export function sessionCalls(sessionId) {
  const rows = h("ol", { class: "rows", "aria-label": "Tool calls of the session" });
  const more = button("", showAll, { hidden: true });
  const part = section("calls", "Tool calls", rows, more);
  let shown = FIRST;
  let waiting = [];
  let ended = null;

  const list = (states) => every(listApprovals, { sessionId, states }, "approvals");
  const load = again(() =>
    part.tries(async () => {
      waiting = await list(WAITING);
      ended ??= (await list(ENDED)).reverse();
      show();
    }),
  );

  function show() {
    const past = ended.slice(0, shown);
    keyed(rows, [...waiting, ...past], (call) => call.callId, callRow);
    say(part.sum, `${waiting.length || "None"} ${waiting.length > 1 ? "wait" : "waits"}, ${ended.length || "none"} ended.`);
    more.hidden = past.length === ended.length;
    say(more, `Show ${count(ended.length - past.length, "older call")}`);
  }

  function showAll() {
    shown = Infinity;
    show();
  }

  /** A long session has thousands that have ended: one more is put before them. */
  function heard(event, kind) {
    if (kind === "ready") ended = null;
    else if (event.sessionId !== sessionId || !event.approval) return;
    else if (ended && ENDED.includes(event.approval.state)) ended = [event.approval, ...ended.filter(isNot(event.approval))];
    load();
  }

  part.leave = store.on(["event", "ready"], heard);
  load();
  return part;
}

function isNot(call) {
  return ({ callId }) => callId !== call.callId;
}
