/** One plan of a list: what it is called and for, who asks, since when. */

import { planAddress } from "../gate/addresses.js";
import { waitingIn } from "../plan/others.js";
import { authored } from "../ui/authors.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { since, until } from "../ui/times.js";
import { chip, count, stateChip } from "../ui/words.js";

export function planRow() {
  const link = h("a", { class: "row" });
  const row = h("li", {}, link);
  let shown = "";
  row.show = (plan) => {
    const beside = waitingIn(plan.sessionId).length;
    const version = JSON.stringify([plan.digest, plan.review, plan.state, plan.todos, beside]);
    if (version === shown) return;
    shown = version;
    link.href = planAddress(plan.planUri);
    fill(link, name(plan), goal(plan), facts(plan), standing(plan, beside));
  };
  return row;
}

function name(plan) {
  return h("span", { class: "name" }, marked(plan.name || "Untitled"));
}

function goal(plan) {
  return h("span", { class: "goal" }, marked(plan.overview ?? ""));
}

function facts(plan) {
  const todos = plan.todos?.length ?? 0;
  const words = [
    h("span", {}, "by ", authored(plan.review ?? {}, plan.createdBy)),
    plan.sessionId && h("span", {}, "session ", marked(plan.sessionId)),
    todos > 0 && h("span", {}, count(todos, "todo")),
    Number(plan.revision) > 1 && h("span", {}, `revision ${plan.revision}`),
  ];
  return h("span", { class: "facts" }, words);
}

/** `beside` is how many plans wait in its session, itself included. */
function standing(plan, beside) {
  const review = plan.review ?? {};
  if (review.status !== "REVIEW_STATUS_REQUESTED") return h("span", { class: "standing" }, stateChip(plan));
  const given = review.decisions?.length ?? 0;
  return h(
    "span",
    { class: "standing" },
    beside > 1 && chip(`one of ${beside} plans in its session`, "waits"),
    review.requiredApprovals > 1 && chip(`${given} of ${review.requiredApprovals} approvals`),
    review.expireTime && h("span", { class: "chip waits" }, "expires ", until(review.expireTime)),
    h("span", { class: "waited" }, since(review.requestTime)),
  );
}
