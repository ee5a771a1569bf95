/** Other plans of the same session that wait, too: of whom they are, and where. */

import { planAddress, sessionAddress } from "../gate/addresses.js";
import { store } from "../gate/store.js";
import { authored } from "../ui/authors.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { contentChanged } from "../ui/settling.js";
import { count } from "../ui/words.js";

const MOST = 3;

/** The open plans of a session, whoever waits longest first. */
export function waitingIn(sessionId) {
  return sessionId ? store.waiting().filter((plan) => plan.sessionId === sessionId) : [];
}

export function otherPlans(page) {
  const note = h("div", { class: "others", role: "note", hidden: true });
  let told = "[]";

  function look() {
    if (!page.shown) return;
    const { planUri, sessionId } = page.shown.item.plan;
    const others = waitingIn(sessionId).filter((plan) => plan.planUri !== planUri);
    const version = JSON.stringify(others.map(({ planUri, name, review }) => [planUri, name, review.approvalRequestId]));
    if (version === told) return;
    told = version;
    note.hidden = !others.length;
    fill(note, others.length > 0 && words(others, sessionId));
    contentChanged();
  }

  note.show = look;
  note.leave = store.on(["plans", "ready"], look);
  return note;
}

function words(others, sessionId) {
  const more = others.length - MOST;
  const waits = others.length === 1 ? "Another plan waits in this session." : `${others.length} other plans wait in this session.`;
  return [
    h("p", {}, h("b", {}, waits), " Each is decided by itself: what you choose here is about the plan on this page only."),
    h("ul", {}, others.slice(0, MOST).map(otherPlan)),
    more > 0 && h("a", { href: sessionAddress(sessionId) }, `${count(more, "more plan")} of the session`),
  ];
}

function otherPlan(plan) {
  const link = h("a", { href: planAddress(plan.planUri) }, marked(plan.name || "Untitled"));
  return h("li", {}, link, " by ", authored(plan.review, plan.createdBy));
}
