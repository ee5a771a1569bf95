/** Who asks, with which tool and why; for which plan and todo; how long it has waited, and whether it expires. */

import { getPlan } from "../gate/calls.js";
import { planAddress, sessionAddress } from "../gate/addresses.js";
import { fill, h } from "../ui/dom.js";
import { fact } from "../ui/facts.js";
import { marked } from "../ui/hidden.js";
import { clock, since, until } from "../ui/times.js";
import { chip } from "../ui/words.js";
import { answerOf, answerTone, kindOf } from "./words.js";

export function callHead() {
  const work = h("p", { class: "work" });
  const state = h("span", { class: "state" });
  const facts = h("dl", { class: "facts" });
  const head = h("header", { class: "plan-head" });
  head.show = (call) => {
    if (!head.children.length) {
      fill(head, h("div", { class: "above" }, state, chip(kindOf(call))), title(call), why(call), work, facts);
      if (call.planUri) tellWork(work, call);
    }
    fill(state, chip(marked(answerOf(call)), answerTone(call)));
    fill(facts, factsOf(call));
  };
  return head;
}

function title(call) {
  return h("h1", {}, h("b", {}, marked(call.agentId || "An agent")), " wants to use ", h("code", {}, marked(call.toolName)));
}

function why(call) {
  const words = call.message ?? call.prompt;
  return words && h("p", { class: "lead" }, marked(words));
}

function factsOf(call) {
  const waits = answerTone(call) === "waits";
  return [
    fact("session", h("a", { href: sessionAddress(call.sessionId) }, marked(call.sessionId))),
    fact("asked", waits ? since(call.requestTime) : clock(call.requestTime)),
    waits && fact("expires", call.expireTime ? until(call.expireTime) : "never"),
    fact("call", marked(call.callId)),
    fact("digest", h("code", { title: call.digest }, call.digest.slice(0, 12))),
    Object.entries(call.metadata ?? {}).map(([name, value]) => fact(marked(name), marked(value))),
  ];
}

/** The plan by its name and the todo by its words, as soon as they are known. */
async function tellWork(place, call) {
  const show = (name, todo) =>
    fill(
      place,
      "For the plan ",
      h("a", { href: planAddress(call.planUri) }, marked(name)),
      call.todoId && [", todo ", h("b", {}, marked(todo))],
      call.buildId && [", build ", h("code", {}, marked(call.buildId))],
    );
  show(call.planUri, call.todoId);
  try {
    const { plan } = await getPlan({ planUri: call.planUri });
    const todo = plan.todos?.find(({ id }) => id === call.todoId);
    show(plan.name || "Untitled", todo?.content || call.todoId);
  } catch (error) {
    place.append(h("span", { class: "problem" }, ` ${error.message}`));
  }
}
