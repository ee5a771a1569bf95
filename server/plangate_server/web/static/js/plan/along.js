/** What a decision takes along beside the person's words, said on the button that makes it. */

import { announce } from "../ui/banners.js";
import { h, say } from "../ui/dom.js";
import { count } from "../ui/words.js";
import { APPROVE } from "./options.js";

/** The place on a button where it is said; `tellAlong` fills it, now and whenever something changes. */
export function alongSign(option) {
  return h("span", { class: "along", "data-along": option });
}

export function alongTeller(page, root) {
  let announced = null;
  return (shown = page.shown) => {
    for (const sign of root.querySelectorAll("[data-along]")) say(sign, alongWords(sign.dataset.along, shown, page.hasEdits()));
    const comments = shown.item.choices?.length ? sentWords(shown) : null;
    if (announced !== null && comments !== null && comments !== announced) announce(`A decision now ${comments || "sends no comment"}.`);
    announced = comments;
  };
}

/** An approval that is not the last one needed sends nothing: the agent hears of the last. */
export function alongWords(option, shown, hasEdits) {
  const { decisions = [], requiredApprovals = 1 } = shown.item.review;
  const isLast = option !== APPROVE || decisions.length + 1 >= requiredApprovals;
  return [isLast && sentWords(shown), option === APPROVE && hasEdits && "without your edits"].filter(Boolean).join(", ");
}

function sentWords({ comments, commentsLeftOut = 0 }) {
  const open = comments.filter(({ state }) => state !== "COMMENT_STATE_RESOLVED").length;
  if (!open) return "";
  return commentsLeftOut ? `sends ${open - commentsLeftOut} of ${count(open, "comment")}` : `sends ${count(open, "comment")}`;
}
