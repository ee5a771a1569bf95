/** Tells whoever reads a revision that there is a newer one. */

import { button, fill, h } from "../ui/dom.js";
import { authored, isSameAuthor } from "../ui/authors.js";
import { whose } from "./revisions.js";

export function newerNotice(showIt) {
  const notice = h("div", { class: "notice", role: "alert", hidden: true });
  notice.tell = ({ item, revisions }, reading) => {
    const { plan, review } = reading.item;
    const isOther = !isSameAuthor(item.review, review);
    const isOver = item.review.status === "REVIEW_STATUS_REQUESTED";
    fill(
      notice,
      h(
        "p",
        {},
        [`Revision ${item.plan.revision} by `, whose(revisions.at(-1)), " has arrived. "],
        isOther && ["It is of another author than the one you are reading, which is by ", authored(review, plan.createdBy), ". "],
        `You are reading revision ${plan.revision}`,
        isOver ? ", which is superseded: nobody can decide about it any more." : ".",
      ),
      button([`Show revision ${item.plan.revision} `, h("kbd", {}, "n")], showIt, { class: "primary" }),
    );
    notice.hidden = false;
  };
  return notice;
}
