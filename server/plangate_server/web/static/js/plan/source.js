/** The plan's text as it was written, line by line, with everything in it that would not be seen. */

import { fill, h } from "../ui/dom.js";
import { exactLine } from "../ui/exact.js";

export function sourceText() {
  const element = h("div", { class: "source" });
  return {
    element,
    show({ item: { plan } }) {
      fill(element, (plan.plan ?? "").split("\n").map(row));
      return true;
    },
  };
}

function row(text, index) {
  const line = String(index + 1);
  return h(
    "div",
    { class: "block line", "data-line": line },
    h("button", { type: "button", class: "handle", "data-comment-on": line, "aria-label": `Comment on line ${line}` }, line),
    h("code", {}, exactLine(text)),
  );
}
