/** A box for words. Enter is a new line in it and never an answer; Ctrl+Enter sends, Esc goes back. */

import { h } from "../ui/dom.js";

let number = 0;

export function wordsBox(label, send, back) {
  number += 1;
  const id = `words-${number}`;
  const area = h("textarea", { id, rows: 4, on: { keydown } });
  const problem = h("p", { class: "problem", role: "alert" });
  function keydown(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape") {
      event.preventDefault();
      back();
    }
  }
  return { area, problem, element: h("div", { class: "words-box" }, h("label", { for: id }, label), area) };
}
