/** One session of a list: what it may do, where it stands, what waits in it. */

import { answerOf, answerTone, beginning } from "../calls/words.js";
import { sessionAddress } from "../gate/addresses.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { since } from "../ui/times.js";
import { chip, count } from "../ui/words.js";
import { asksForFullAccess, modeChip, stateWords } from "./words.js";

export function sessionRow() {
  const link = h("a", { class: "row" });
  const item = h("li", {}, link);
  let shown = "";
  item.show = (session) => {
    const version = JSON.stringify(session);
    if (version === shown) return;
    shown = version;
    link.href = sessionAddress(session.sessionId);
    fill(link, h("span", { class: "name" }, marked(session.sessionId)), last(session), facts(session), standing(session));
  };
  return item;
}

function last({ lastDecision }) {
  if (!lastDecision) return h("span", { class: "goal" });
  return h("span", { class: "goal" }, beginning(lastDecision), " ", chip(marked(answerOf(lastDecision)), answerTone(lastDecision)));
}

function facts(session) {
  return h(
    "span",
    { class: "facts" },
    h("span", {}, stateWords(session)),
    h("span", {}, session.canSend ? "takes messages" : "takes no messages"),
    h("span", {}, "changed ", since(session.updateTime)),
  );
}

function standing(session) {
  const waiting = session.queueLength ?? 0;
  return h(
    "span",
    { class: "standing" },
    asksForFullAccess(session) && chip("asks for full access", "waits"),
    session.waitingForPlanApproval && chip("a plan waits", "waits"),
    waiting > 0 && chip(`${count(waiting, "tool call")} ${waiting === 1 ? "waits" : "wait"}`, "waits"),
    modeChip(session),
  );
}
