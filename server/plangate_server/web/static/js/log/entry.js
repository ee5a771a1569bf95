/** One entry of the log: what happened, and on demand its place in the chain. */

import { logAddress, planAddress, sessionAddress } from "../gate/addresses.js";
import { button, fill, h } from "../ui/dom.js";
import { fact } from "../ui/facts.js";
import { happened, said, tone } from "../ui/happened.js";
import { marked } from "../ui/hidden.js";
import { clock } from "../ui/times.js";
import { nameOf } from "./names.js";

export function logEntry({ event, sequence, hash, previousHash }) {
  const more = h("dl", { class: "proof", hidden: true, id: `entry-${sequence}` });
  const toggle = button("Proof", () => show(more.hidden), {
    class: "quiet small",
    "aria-expanded": "false",
    "aria-controls": more.id,
    "aria-label": `Proof of entry ${sequence}`,
  });
  function show(open) {
    if (open && !more.children.length) fill(more, proof(event, hash, previousHash));
    more.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
  }
  return h(
    "li",
    { class: `entry ${tone(event)}`, "data-cursor": event.cursor },
    h("span", { class: "number", title: "entry" }, sequence),
    h("time", { datetime: event.eventTime, title: event.eventTime }, clock(event.eventTime)),
    h("p", { class: "what" }, h("b", {}, marked(event.actor ?? "")), " ", marked(happened(event)), " ", about(event)),
    toggle,
    said(event) && h("p", { class: "words" }, marked(said(event))),
    more,
  );
}

function about(event) {
  if (event.planUri) {
    const plan = h("a", { href: planAddress(event.planUri) }, nameOf(event));
    const revision = event.revision && h("span", { class: "revision" }, `, revision ${event.revision}`);
    return h("span", { class: "about" }, "· ", plan, revision);
  }
  if (!event.sessionId) return null;
  return h("span", { class: "about" }, "· session ", h("a", { href: sessionAddress(event.sessionId) }, marked(event.sessionId)));
}

function proof(event, hash, previousHash) {
  return [
    fact("time", h("code", {}, event.eventTime)),
    fact("type", h("code", {}, event.type.replace("REVIEW_EVENT_TYPE_", "").toLowerCase())),
    event.refused?.person && fact("person", marked(event.refused.person)),
    event.planUri && fact("plan", h("code", {}, event.planUri), " ", only("plan", event.planId)),
    event.sessionId && fact("session", marked(event.sessionId), " ", only("session", event.sessionId)),
    event.digest && fact(event.approval ? "digest of the call" : "digest", h("code", {}, event.digest)),
    event.refused?.digest && fact("digest they saw", h("code", {}, marked(event.refused.digest))),
    event.requestId && fact("request", h("code", {}, marked(event.requestId))),
    fact("hash before", h("code", {}, previousHash || "none: this is the first entry")),
    fact("hash", h("code", {}, hash)),
  ];
}

function only(kind, id) {
  return h("a", { href: logAddress({ [kind]: id }) }, `only this ${kind}`);
}
