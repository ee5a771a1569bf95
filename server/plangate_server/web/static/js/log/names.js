/** What plans are called. Some events say it; for other plans the gate is asked once. */

import { getPlan } from "../gate/calls.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";

const asked = new Map();

/** The plan's name as the event says it, or else as it is now, and its goal or id until that is known. */
export function nameOf(event) {
  if (event.plan) return h("span", { class: "plan-name" }, marked(called(event.plan)));
  const element = h("span", { class: "plan-name" }, marked(event.planSummary?.goal || event.planId));
  planName(event.planUri).then((name) => fill(element, marked(name)), () => asked.delete(event.planUri));
  return element;
}

export function planName(planUri) {
  if (!asked.has(planUri)) asked.set(planUri, getPlan({ planUri }).then(({ plan }) => called(plan)));
  return asked.get(planUri);
}

export function learnName({ plan }) {
  if (plan && !asked.has(plan.planUri)) asked.set(plan.planUri, Promise.resolve(called(plan)));
}

function called(plan) {
  return plan.name || "Untitled";
}
