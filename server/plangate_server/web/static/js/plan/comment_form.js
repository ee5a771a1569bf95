/** Where a comment is written. Enter makes a new line; Ctrl+Enter sends. */

import { addComment } from "../gate/calls.js";
import { button, h, say } from "../ui/dom.js";
import { focusPage } from "../ui/settling.js";
import { kept } from "./kept.js";
import { wordsBox } from "../deciding/words_box.js";

export function commentForm(page, line) {
  const { plan } = page.shown.item;
  const last = h("input", { type: "number", min: line, value: line, "aria-label": "to line", class: "line-number" });
  const box = wordsBox(line ? `Comment on line ${line}` : "Comment on the whole plan", send, close);
  const draft = kept(`comment ${page.planUri} ${line}`, box.area);
  const form = h(
    "div",
    { class: "comment-form", "data-own-keys": true },
    box.element,
    line > 0 && h("label", { class: "range" }, "up to line ", last),
    h("div", { class: "buttons" }, button("Comment", send, { class: "primary" }), button("Cancel", close)),
    box.problem,
  );

  let write = null;
  async function send() {
    const request = {
      planUri: page.planUri,
      revision: plan.revision,
      firstLine: line,
      lastLine: line ? Number(last.value) : 0,
      text: box.area.value,
    };
    if (!request.text.trim()) return say(box.problem, "Say something first.");
    if (!write || JSON.stringify(write.asked) !== JSON.stringify(request)) write = Object.assign(addComment(request), { asked: request });
    try {
      await write.send();
    } catch (error) {
      return say(box.problem, error.message);
    }
    draft.drop();
    close();
    return page.refresh();
  }

  function close() {
    form.remove();
    focusPage();
  }
  return form;
}
