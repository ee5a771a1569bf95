/** What plans are called. Some events say it; for other plans the gate is asked once. */

import { getPlan } from "../gate/calls.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";

const KEPT = 500;

const asked = new Map();

/** The plan's name as the event says it, or else as it is now, and its goal or id until that is known. */
export function nameOf(event) {
  if (event.plan) return h("span", { class: "plan-name" }, marked(called(event.plan)));
  const element = h("span", { class: "plan-name" }, marked(event.planSummary?.goal || event.planId));
  planName(event.planUri).then((name) => fill(element, marked(name)), () => asked.delete(event.planUri));
  return element;
}

export function planName(planUri) {
  if (!asked.has(planUri)) keep(planUri, getPlan({ planUri }).then(({ plan }) => called(plan)));
  return asked.get(planUri);
}

export function learnName({ plan }) {
  if (plan && !asked.has(plan.planUri)) keep(plan.planUri, Promise.resolve(called(plan)));
}

/** The names that were learned first are forgotten first: a page stays open for days. */
function keep(planUri, name) {
  asked.set(planUri, name);
  if (asked.size > KEPT) asked.delete(asked.keys().next().value);
}

function called(plan) {
  return plan.name || "Untitled";
}
