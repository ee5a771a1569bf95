/** The session's plans, the last first. */

import { every, listPlans } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { planRow } from "../inbox/row.js";
import { h, keyed, say } from "../ui/dom.js";
import { count } from "../ui/words.js";

export function sessionPlans(sessionId) {
  const rows = h("ol", { class: "rows", "aria-label": "Plans of the session" });
  const sum = h("p", { class: "sum" }, "Loading");
  const section = h("section", { "aria-labelledby": "plans-title" }, h("div", { class: "section-head" }, h("h2", { id: "plans-title" }, "Plans"), sum), rows);

  async function load() {
    try {
      const plans = (await every(listPlans, { sessionId }, "plans")).sort((one, other) => Date.parse(other.createTime) - Date.parse(one.createTime));
      keyed(rows, plans, (plan) => plan.planUri, planRow);
      say(sum, plans.length ? `${count(plans.length, "plan")}.` : "It has no plan.");
    } catch (error) {
      say(sum, error.message);
    }
  }

  section.leave = store.on(["event", "ready"], (event, kind) => (kind === "ready" || (event.sessionId === sessionId && event.planUri)) && load());
  load();
  return section;
}
