/** Everything that happened to the plan, oldest first. */

import { logAddress } from "../gate/addresses.js";
import { fill, h } from "../ui/dom.js";
import { happened, said } from "../ui/happened.js";
import { marked } from "../ui/hidden.js";
import { linked } from "../ui/links.js";
import { clock } from "../ui/times.js";

export function timeline() {
  const list = h("ol", { class: "timeline" });
  const proof = h("a", {}, "Entries in the log");
  const title = h("h2", { id: "timeline-title" }, "Time line");
  const section = h("section", { "aria-labelledby": "timeline-title" }, h("div", { class: "section-head" }, title, proof), list);
  section.show = ({ item, events }) => {
    section.hidden = !events.length;
    proof.href = logAddress({ plan: item.plan.planId });
    fill(list, events.map(entry));
  };
  return section;
}

function entry(event) {
  return h(
    "li",
    {},
    h("time", { datetime: event.eventTime }, clock(event.eventTime)),
    h("span", { class: "what" }, h("b", {}, marked(event.actor ?? "")), " ", marked(happened(event))),
    said(event) && h("span", { class: "words" }, linked(said(event))),
  );
}
