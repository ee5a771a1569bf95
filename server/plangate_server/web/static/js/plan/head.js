/** Who asks, and for what goal; how long it has waited, and whether it expires. */

import { sessionAddress } from "../gate/addresses.js";
import { authored, nameOfAuthor } from "../ui/authors.js";
import { fill, h } from "../ui/dom.js";
import { fact } from "../ui/facts.js";
import { marked } from "../ui/hidden.js";
import { duration, since, until } from "../ui/times.js";
import { chip, count, stateChip } from "../ui/words.js";

export function planHead() {
  const head = h("header", { class: "plan-head" });
  head.show = ({ item: { plan, review, summary }, revisions }) =>
    fill(
      head,
      h("div", { class: "above" }, stateChip(plan), plan.isProject && chip("project"), plan.isSpec && chip("specification")),
      h("h1", {}, marked(plan.name || "Untitled")),
      plan.overview && h("p", { class: "lead" }, marked(plan.overview)),
      h("dl", { class: "facts" }, facts(plan, review, summary ?? {}, revisions.at(-1))),
    );
  return head;
}

/** Asked by whoever proposed the text that is shown; the plan may be of somebody else, and the text a person's edit. */
function facts(plan, review, summary, latest) {
  const waits = review.status === "REVIEW_STATUS_REQUESTED";
  const proposer = nameOfAuthor(review, plan.createdBy);
  return [
    fact("asked by", authored(review, plan.createdBy)),
    proposer !== plan.createdBy && fact("plan of", marked(plan.createdBy ?? "")),
    latest && latest.author !== proposer && fact("edited by", marked(latest.author ?? "")),
    plan.sessionId && fact("session", sessionLink(plan.sessionId)),
    fact("revision", plan.revision ?? "none yet"),
    fact("digest", h("code", { title: plan.digest }, plan.digest.slice(0, 12))),
    summary.subtasksCount && fact("todos", count(summary.subtasksCount, "todo")),
    summary.totalEstimatedTime && fact("estimated", duration(summary.totalEstimatedTime)),
    waits && fact("waiting", since(review.requestTime)),
    waits && fact("expires", review.expireTime ? until(review.expireTime) : "never"),
    fact("file", marked(plan.fileName ?? "")),
  ];
}

function sessionLink(id) {
  return h("a", { href: sessionAddress(id) }, marked(id));
}
