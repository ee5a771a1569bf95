/** What changed between two revisions: beside each other, with what people said then. */

import { h } from "../../ui/dom.js";
import { commentItem } from "../comments.js";
import { decidedOn } from "../outcome.js";
import { beside } from "./beside.js";
import { inBrief, otherChanges } from "./facts.js";
import { revisionPickers } from "./pickers.js";
import { rowsOf } from "./rows.js";
import { baseOf, revisionOf, saidBetween } from "./since.js";

export function changesView(page) {
  const pickers = revisionPickers(() => page.lookAgain());
  let offered = "";

  function offer({ item, revisions }) {
    const head = Number(item.plan.revision);
    const offer = `${item.plan.revision} ${page.seen}`;
    if (offer !== offered) pickers.offer(revisions, baseOf(revisions, head, page.seen) || head, head);
    offered = offer;
  }

  return {
    controls: pickers.element,
    /** Next time, show these two. */
    pick(shown, from, to) {
      offer(shown);
      pickers.pick(from, to);
    },
    async show(shown) {
      offer(shown);
      const [from, to] = [pickers.from(), pickers.to()];
      try {
        const [before, after] = await Promise.all([revisionOf(shown, from), revisionOf(shown, to)]);
        return comparison(page, shown, before, after);
      } catch (error) {
        const problem = h("p", { class: "problem", role: "alert" }, `The two cannot be compared: ${error.message}`);
        return { element: h("div", { class: "changes" }, problem), digest: "" };
      }
    },
  };
}

/** The digest is that of the right side, which is what one would decide about. */
function comparison(page, { item, revisions }, before, after) {
  const [from, to, head] = [before.plan, after.plan, item.plan].map(({ revision }) => Number(revision));
  const isHead = to === head;
  const result = h("div", { class: "result" }, said(saidBetween(revisions, from, to)), compared(before, after, isHead));
  return {
    element: h("div", { class: "changes" }, result),
    digest: after.plan.digest,
    reason: isHead ? "" : `You compare with revision ${to}; to decide, look at revision ${head}.`,
    /** Puts those that were made then on the left, and gives those that belong on the right. */
    comments(all) {
      const now = new Map(all.map((comment) => [comment.commentId, comment]));
      for (const old of result.querySelectorAll(".comments.then")) old.remove();
      for (const comment of before.comments) place(page, result, { ...comment, ...standing(now.get(comment.commentId)) });
      const made = new Set(before.comments.map((comment) => comment.commentId));
      return isHead ? all.filter(({ commentId }) => !made.has(commentId)) : [];
    },
  };
}

function standing(comment) {
  return comment && { state: comment.state, resolvedBy: comment.resolvedBy };
}

function place(page, result, comment) {
  const rows = [...result.querySelectorAll("[data-left]")];
  const under = comment.lastLine && rows.findLast((row) => Number(row.dataset.left) <= comment.lastLine);
  const list = h("ul", { class: "comments then" }, commentItem(page, comment));
  if (under) under.append(list);
  else result.querySelector(".beside, .nothing-changed")?.before(list);
}

function said(infos) {
  if (!infos.length) return null;
  return h(
    "section",
    { class: "said", "aria-label": "What was said before" },
    infos.map(({ revision, review }) => [h("h3", {}, `Said about revision ${revision}`), decidedOn(review)]),
  );
}

function compared(before, after, isHead) {
  const rows = rowsOf(before.plan.plan ?? "", after.plan.plan ?? "");
  const kept = new Set([
    ...before.comments.map((comment) => `left ${comment.lastLine}`),
    ...after.comments.map((comment) => `right ${comment.lastLine}`),
  ]);
  const isSameText = rows.every((row) => row.same);
  return [
    h("p", { class: "brief" }, `From revision ${before.plan.revision} to ${after.plan.revision}: ${inBrief(before.plan, after.plan, rows)}.`),
    otherChanges(before.plan, after.plan),
    isSameText && h("p", { class: "nothing-changed" }, "The text is the same."),
    (!isSameText || kept.size > 0) && beside(rows, { kept, comments: isHead }),
  ];
}
