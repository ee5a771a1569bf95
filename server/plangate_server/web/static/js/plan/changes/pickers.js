/** Which two revisions are compared. */

import { fill, h } from "../../ui/dom.js";
import { spelled } from "../../ui/hidden.js";
import { clock } from "../../ui/times.js";
import { outcome } from "../../ui/words.js";

export function revisionPickers(changed) {
  const from = picker("from-revision", "From", () => changed());
  const to = picker("to-revision", "to", () => changed());
  const element = h("div", { class: "pickers" }, from.parts, to.parts);
  return {
    element,
    from: () => Number(from.select.value),
    to: () => Number(to.select.value),
    pick(base, head) {
      [from.select.value, to.select.value] = [base, head];
    },
    offer(revisions, base, head) {
      for (const [each, chosen] of [[from, base], [to, head]]) {
        fill(each.select, revisions.map((info) => option(info, chosen)));
      }
    },
  };
}

function picker(id, label, change) {
  const select = h("select", { id, on: { change } });
  return { select, parts: [h("label", { for: id }, label), select] };
}

function option({ revision, author, createTime, review }, chosen) {
  const became = review?.status === "REVIEW_STATUS_DONE" ? `, ${outcome(review).toLowerCase()}` : "";
  return h(
    "option",
    { value: revision, selected: Number(revision) === chosen },
    spelled(`revision ${revision} by ${author ?? "somebody"}, ${clock(createTime)}${became}`),
  );
}
