/** What changed between two revisions: beside each other, with what people said then. */

import { fill, h } from "../../ui/dom.js";
import { commentItem } from "../comments.js";
import { decided } from "../outcome.js";
import { beside } from "./beside.js";
import { inBrief, otherChanges } from "./facts.js";
import { revisionPickers } from "./pickers.js";
import { rowsOf } from "./rows.js";
import { baseOf, revisionOf, saidBetween } from "./since.js";

export function changesView(page) {
  const result = h("div", { class: "result" });
  const pickers = revisionPickers(() => page.lookAgain());
  const element = h("div", { class: "changes" }, pickers.element, result);
  let offered = "";
  let then = [];

  function offer({ item, revisions }) {
    const head = Number(item.plan.revision);
    const offer = `${item.plan.revision} ${page.seen}`;
    if (offer !== offered) pickers.offer(revisions, baseOf(revisions, head, page.seen) || head, head);
    offered = offer;
  }

  return {
    element,
    async show(shown) {
      offer(shown);
      const [from, to] = [pickers.from(), pickers.to()];
      element.setAttribute("aria-busy", "true");
      try {
        const [before, after] = await Promise.all([revisionOf(shown, from), revisionOf(shown, to)]);
        then = before.comments;
        const isHead = to === Number(shown.item.plan.revision);
        fill(result, said(saidBetween(shown.revisions, from, to)), compared(before, after, isHead));
        return true;
      } catch (error) {
        fill(result, h("p", { class: "problem", role: "alert" }, `The two cannot be compared: ${error.message}`));
        return false;
      } finally {
        element.removeAttribute("aria-busy");
      }
    },
    /** Puts those that were made then on the left, and gives those that belong on the right. */
    comments(all) {
      const now = new Map(all.map((comment) => [comment.commentId, comment]));
      for (const old of result.querySelectorAll(".comments.then")) old.remove();
      for (const comment of then) place(page, result, { ...comment, ...standing(now.get(comment.commentId)) });
      const made = new Set(then.map((comment) => comment.commentId));
      return pickers.to() === Number(page.shown.item.plan.revision) ? all.filter(({ commentId }) => !made.has(commentId)) : [];
    },
    /** Why nobody can decide while this is shown; empty if they can. */
    reason: () => {
      const head = Number(page.shown.item.plan.revision);
      return pickers.to() === head ? "" : `You compare with revision ${pickers.to()}; to decide, look at revision ${head}.`;
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
    infos.map(({ revision, review }) => [h("h3", {}, `Said about revision ${revision}`), review.decisions.map(decided)]),
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
