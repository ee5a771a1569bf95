/** The words that go with a no. */

import { kept } from "../plan/kept.js";
import { wordsBox } from "../deciding/words_box.js";
import { button, h } from "../ui/dom.js";
import { NO } from "./words.js";

export function denyForm(prompt, send, back) {
  const box = wordsBox("It is not done. What should the agent do instead?", submit, back);
  const draft = kept(`no ${prompt.sessionId} ${prompt.callId}`, box.area);
  async function submit() {
    if (await send({ decision: NO, feedbackText: box.area.value.trim() })) draft.drop();
  }
  return h(
    "div",
    { class: "words-form", "data-own-keys": true },
    box.element,
    h(
      "div",
      { class: "buttons" },
      button(["Say no ", h("kbd", {}, "Ctrl+Enter")], submit, { class: "primary", "data-decides": true }),
      button(["Back ", h("kbd", {}, "Esc")], back),
    ),
  );
}
