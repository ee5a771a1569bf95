/** What plans are called. Few events say it; the gate is asked once for each plan. */

import { getPlan } from "../gate/calls.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";

const asked = new Map();

/** The plan's name, and its goal or id until that is known. */
export function nameOf(event) {
  const element = h("span", { class: "plan-name" }, marked(event.planSummary?.goal || event.planId));
  planName(event.planUri).then((name) => fill(element, marked(name)), () => asked.delete(event.planUri));
  return element;
}

export function planName(planUri) {
  if (!asked.has(planUri)) asked.set(planUri, getPlan({ planUri }).then(({ plan }) => plan.name || "Untitled"));
  return asked.get(planUri);
}
