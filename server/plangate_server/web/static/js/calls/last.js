/** How many calls of the session wait, and what was answered last. */

import { callAddress } from "../gate/addresses.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { since } from "../ui/times.js";
import { chip, count } from "../ui/words.js";
import { answerOf, answerTone, beginning } from "./words.js";

export function lastAnswer() {
  const section = h("section", { class: "receipts", "aria-label": "Queue of the session" });
  section.show = (told, call) => {
    const waiting = told?.queueLength ?? 0;
    const last = told?.lastDecision;
    fill(
      section,
      h("h2", {}, "In this session"),
      h("p", { class: "queue" }, queueOf(waiting)),
      last && last.callId !== call.callId && lastLine(last),
    );
  };
  return section;
}

function queueOf(waiting) {
  if (waiting < 2) return waiting ? "1 call waits." : "No call waits.";
  return `${count(waiting, "call")} wait. You are asked about one at a time.`;
}

export function lastLine(last) {
  return h(
    "p",
    { class: "last" },
    "Last answer: ",
    h("a", { href: callAddress(last) }, beginning(last)),
    " ",
    chip(marked(answerOf(last)), answerTone(last)),
    " ",
    last.decideTime && since(last.decideTime),
  );
}
