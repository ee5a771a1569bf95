/** Above the text: what is different from what this person saw last, and what was said about that. */

import { button, fill, h } from "../../ui/dom.js";
import { contentChanged } from "../../ui/settling.js";
import { decidedOn } from "../outcome.js";
import { inBrief } from "./facts.js";
import { rowsOf } from "./rows.js";
import { baseOf, revisionOf, saidBetween } from "./since.js";

export function sinceStrip(page, look) {
  const strip = h("div", { class: "since", hidden: true });
  let shownFor = "";

  strip.show = async (shown) => {
    const { plan } = shown.item;
    const base = baseOf(shown.revisions, Number(plan.revision), page.seen);
    strip.hidden = !base;
    if (!base || shownFor === plan.digest) return;
    shownFor = plan.digest;
    const said = saidBetween(shown.revisions, base, Number(plan.revision));
    const which = Number(page.seen) === base ? ", which you saw last" : "";
    const words = h("p", {}, `Since revision ${base}${which}: `, await difference(shown, base), ". ");
    contentChanged();
    fill(strip, said.map(({ review }) => decidedOn(review)), h("div", { class: "buttons" }, words, button(["What changed ", h("kbd", {}, "d")], look, { class: "small" })));
  };
  return strip;
}

async function difference(shown, base) {
  try {
    const before = (await revisionOf(shown, base)).plan;
    return inBrief(before, shown.item.plan, rowsOf(before.plan ?? "", shown.item.plan.plan ?? ""));
  } catch (error) {
    return `what changed is not known (${error.message})`;
  }
}
