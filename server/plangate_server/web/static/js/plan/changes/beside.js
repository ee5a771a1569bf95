/** Rows of two texts on the screen: beside each other, and one under the other on a phone. */

import { button, h } from "../../ui/dom.js";
import { endOfText, exactLine } from "../../ui/exact.js";
import { emptyLines, mark } from "../../ui/hidden.js";
import { MOST_EMPTY_LINES } from "../../ui/unicode_table.js";
import { count } from "../../ui/words.js";
import { markedPair } from "./words.js";

const AROUND = 3;
const LEAST = 4; // fewer are not worth a click

/** Lines in `kept` (as "left 4", "right 7") stay in sight, and so does what is around changes; the rest is folded. */
export function beside(rows, { kept = new Set(), comments = false } = {}) {
  const shown = rows.map(() => false);
  rows.forEach((row, at) => {
    if (row.same && !kept.has(`left ${row.left.line}`) && !kept.has(`right ${row.right.line}`)) return;
    for (let near = Math.max(0, at - AROUND); near <= Math.min(rows.length - 1, at + AROUND); near += 1) shown[near] = true;
  });
  return h("div", { class: "beside", role: "group", "aria-label": "Changed lines" }, parts(rows, shown, comments));
}

function parts(rows, shown, comments) {
  const found = [];
  for (let at = 0; at < rows.length; ) {
    let to = at;
    while (to < rows.length && shown[to] === shown[at]) to += 1;
    const some = rows.slice(at, to);
    if (shown[at] || some.length < LEAST) found.push(rowElements(some, comments));
    else found.push(fold(some, comments));
    at = to;
  }
  return found;
}

function fold(rows, comments) {
  const element = button(`Show ${count(rows.length, "line")} that did not change`, unfold, { class: "fold quiet" });
  function unfold() {
    const lines = rowElements(rows, comments);
    element.replaceWith(...lines);
    lines[0].querySelector("button")?.focus();
  }
  return element;
}

/** Of as many empty ones as nobody needs, one that counts them: they push what follows out of sight. */
function rowElements(rows, comments) {
  const elements = [];
  for (let at = 0; at < rows.length; ) {
    const kind = kindOf(rows[at]);
    let to = at;
    while (to < rows.length && kindOf(rows[to]) === kind && isEmpty(rows[to])) to += 1;
    const number = to - at > MOST_EMPTY_LINES ? to - at : 1;
    elements.push(rowElement(rows[at], comments, number));
    at += number;
  }
  return elements;
}

function kindOf({ left, right, same }) {
  return same ? "same" : left && right ? "changed" : left ? "removed" : "added";
}

function isEmpty({ left, right }) {
  return [left, right].every((side) => !side || endOfText(side.text) === 0);
}

function rowElement(row, comments, number = 1) {
  const { left, right, same } = row;
  const kind = kindOf(row);
  const [one, other] = number > 1 ? [left, right].map((side) => side && mark(emptyLines(number))) : texts(row);
  return h(
    "div",
    { class: `block pair ${kind}`, "data-line": right?.line, "data-left": left?.line },
    cell("left", left, one, !same && "removed"),
    cell("right", right, other, !same && "added", comments),
  );
}

function texts({ left, right, same }) {
  return !same && left && right ? markedPair(left.text, right.text) : [left, right].map((side) => side && exactLine(side.text));
}

function cell(side, line, content, change, comments = false) {
  if (!line) return h("div", { class: `cell ${side} none`, "aria-hidden": "true" });
  return h(
    "div",
    { class: `cell ${side}` },
    comments ? handle(line.line) : h("span", { class: "number" }, line.line),
    h("span", { class: "sign" }, change && h("span", { class: "unseen" }, change), change === "removed" ? "−" : change ? "+" : ""),
    h("code", {}, content),
  );
}

function handle(line) {
  return h("button", { type: "button", class: "handle", "data-comment-on": line, "aria-label": `Comment on line ${line}` }, line);
}
