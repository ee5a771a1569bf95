/** Tells whoever reads a revision that there is a newer one. */

import { button, fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";

export function newerNotice(showIt) {
  const notice = h("div", { class: "notice", role: "alert", hidden: true });
  notice.tell = ({ item, revisions }, reading) => {
    const author = revisions.at(-1)?.author ?? "somebody";
    const isOver = item.review.status === "REVIEW_STATUS_REQUESTED";
    fill(
      notice,
      h(
        "p",
        {},
        [`Revision ${item.plan.revision} by `, marked(author), ` has arrived. You are reading revision ${reading}`],
        isOver ? ", which nobody can decide about any more." : ".",
      ),
      button([`Show revision ${item.plan.revision} `, h("kbd", {}, "n")], showIt, { class: "primary" }),
    );
    notice.hidden = false;
  };
  return notice;
}
