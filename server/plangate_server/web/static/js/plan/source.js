/** The plan's text as it was written, line by line, with everything in it that would not be seen. */

import { h } from "../ui/dom.js";
import { exactLine } from "../ui/exact.js";
import { counted, emptyLines, mark } from "../ui/hidden.js";

export function sourceText() {
  return {
    show({ item: { plan } }) {
      return { element: h("div", { class: "source" }, counted((plan.plan ?? "").split("\n")).map(row)), digest: plan.digest };
    },
  };
}

function row({ at, line: text, lines }) {
  const line = String(at + 1);
  return h(
    "div",
    { class: "block line", "data-line": line },
    h("button", { type: "button", class: "handle", "data-comment-on": line, "aria-label": `Comment on line ${line}` }, line),
    h("code", {}, lines > 1 ? mark(emptyLines(lines)) : exactLine(text)),
  );
}
