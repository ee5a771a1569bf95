/** The session's plans, the last first. */

import { again } from "../gate/again.js";
import { every, listPlans } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { planRow } from "../inbox/row.js";
import { h, keyed, say } from "../ui/dom.js";
import { count } from "../ui/words.js";
import { section } from "./section.js";

export function sessionPlans(sessionId) {
  const rows = h("ol", { class: "rows", "aria-label": "Plans of the session" });
  const part = section("plans", "Plans", rows);
  const load = again(() =>
    part.tries(async () => {
      const plans = await every(listPlans, { sessionId }, "plans");
      plans.sort((one, other) => Date.parse(other.createTime) - Date.parse(one.createTime));
      keyed(rows, plans, (plan) => plan.planUri, planRow);
      say(part.sum, plans.length ? `${count(plans.length, "plan")}.` : "It has no plan.");
    }),
  );

  part.leave = store.on(["event", "ready"], (event, kind) => {
    if (kind === "ready" || (event.sessionId === sessionId && event.planUri)) load();
  });
  load();
  return part;
}
