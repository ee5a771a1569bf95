/** The words that go with a rejection or a request for changes. */

import { button, h, say } from "../ui/dom.js";
import { alongSign } from "./along.js";
import { kept } from "./kept.js";
import { wordsBox } from "../deciding/words_box.js";

export function wordsForm(page, choice, required, send, back) {
  const box = wordsBox(choice.description ?? choice.label, submit, back);
  const draft = kept(`words ${page.planUri} ${choice.value}`, box.area);
  async function submit() {
    const words = box.area.value.trim();
    if (required && !words) say(box.problem, "Say what to change: the agent reads it.");
    else if (await send(words)) draft.drop();
  }
  return h(
    "div",
    { class: "words-form", "data-own-keys": true },
    box.element,
    box.problem,
    h(
      "div",
      { class: "buttons" },
      button([choice.label, " ", alongSign(choice.value), " ", h("kbd", {}, "Ctrl+Enter")], submit, { class: "primary", "data-decides": true }),
      button(["Back ", h("kbd", {}, "Esc")], back),
    ),
  );
}
