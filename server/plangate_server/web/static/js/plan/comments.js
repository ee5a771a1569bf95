/** Comments, where the lines are that they are about. */

import { resolveComment } from "../gate/calls.js";
import { button, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { since } from "../ui/times.js";
import { chip, linesOf } from "../ui/words.js";
import { commentForm } from "./comment_form.js";

export function commentLayer(page, place) {
  const whole = h("div", { class: "whole" });

  /** Put each under its lines. */
  function show(comments) {
    for (const old of place.querySelectorAll(".comments:not(.then)")) old.remove();
    for (const old of whole.querySelectorAll(".comments")) old.remove();
    const places = new Map();
    const blocks = blocksNow();
    for (const comment of comments) {
      const under = blockOf(comment.lastLine ?? 0, blocks);
      places.set(under, [...(places.get(under) ?? []), comment]);
    }
    for (const [under, some] of places) {
      const list = h("ul", { class: "comments" }, some.map((comment) => commentItem(page, comment)));
      if (under) under.append(list);
      else whole.append(list);
    }
  }

  function blocksNow() {
    return [...place.querySelectorAll(".block[data-line]")];
  }

  function blockOf(line, blocks = blocksNow()) {
    return line ? blocks.findLast((block) => Number(block.dataset.line) <= line) : null;
  }

  /** Write one on the line that has the focus; on the plan as a whole, if none has. */
  function write(line = Number(document.activeElement?.closest("[data-line]")?.dataset.line ?? 0)) {
    document.querySelector(".comment-form")?.remove();
    const under = blockOf(line);
    const form = commentForm(page, line);
    if (under) under.append(form);
    else whole.prepend(form);
    form.querySelector("textarea").focus();
  }

  place.addEventListener("click", (event) => {
    const line = event.target.closest("[data-comment-on]")?.dataset.commentOn;
    if (line) write(Number(line));
  });
  return { whole, show, write };
}

export function commentItem(page, comment) {
  const isResolved = comment.state === "COMMENT_STATE_RESOLVED";
  const problem = h("span", { class: "problem", role: "alert" });
  const write = resolveComment({ commentId: comment.commentId });
  async function resolve() {
    try {
      await write.send();
      await page.refresh();
    } catch (error) {
      problem.textContent = error.message;
    }
  }
  return h(
    "li",
    { class: isResolved ? "comment resolved" : "comment" },
    h(
      "p",
      { class: "by" },
      h("b", {}, marked(comment.author)),
      ` on ${linesOf(comment)}, `,
      since(comment.createTime),
      " ",
      comment.state === "COMMENT_STATE_CARRIED" && chip(`carried from revision ${comment.revision}`, "waits"),
      isResolved && chip(["resolved by ", marked(comment.resolvedBy ?? "")], "good"),
    ),
    h("p", { class: "words" }, marked(comment.text)),
    !isResolved && button("Resolve", resolve, { class: "quiet small" }),
    problem,
  );
}
