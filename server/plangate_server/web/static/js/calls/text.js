/** Exactly what would be done, line by line, with everything in it that would not be seen, and how much it is. */

import { button, fill, h } from "../ui/dom.js";
import { exactLine } from "../ui/exact.js";
import { counted, emptyLines, hiddenIn, mark } from "../ui/hidden.js";
import { contentChanged } from "../ui/settling.js";
import { chip, count } from "../ui/words.js";
import { laidOut } from "./layout.js";
import { kindOf, linesOf } from "./words.js";

const PART = 100;
const TITLES = { command: "Command", patch: "Patch", "MCP call": "Arguments" };
const PATCHED = [
  [/^(\+\+\+|---|diff |index |\*\*\* )/, "file"],
  [/^@@/, "hunk"],
  [/^\+/, "added"],
  [/^-/, "removed"],
];

export function callText(call) {
  const kind = kindOf(call);
  const place = h("div", { class: "source exact", tabindex: "0", role: "group", "aria-label": `${TITLES[kind]}, in full` });
  const readable = kind === "MCP call" ? laidOut(call.command) : null;
  const show = (text) => fill(place, parts(text, kind === "patch"));
  show(readable ?? call.command);
  return h(
    "section",
    { class: "call-text", "aria-labelledby": "text-title" },
    h(
      "div",
      { class: "section-head" },
      h("h2", { id: "text-title" }, TITLES[kind] ?? "Call"),
      sum(call.command),
      readable !== null && readable !== call.command && views(show, readable, call.command),
    ),
    place,
  );
}

function sum(text) {
  const lines = linesOf(text).length;
  const unseen = hiddenIn(text);
  return h(
    "p",
    { class: "sum" },
    `${count(lines.toLocaleString(), "line")}, ${count(text.length.toLocaleString(), "character")} `,
    unseen > 0 && chip(count(unseen.toLocaleString(), "hidden character"), "bad"),
  );
}

function views(show, readable, sent) {
  const one = button("Laid out", () => choose(one, readable), { "aria-pressed": "true" });
  const other = button("As sent", () => choose(other, sent), { "aria-pressed": "false" });
  function choose(chosen, text) {
    for (const each of [one, other]) each.setAttribute("aria-pressed", String(each === chosen));
    contentChanged();
    show(text);
  }
  return h("div", { class: "views", role: "group", "aria-label": "How the arguments are shown" }, one, other);
}

/** In parts, of which the browser draws those that are on the screen: a hundred thousand lines at once take a minute. */
function parts(text, isPatch) {
  const rows = rowsOf(linesOf(text), isPatch);
  const made = [];
  for (let at = 0; at < rows.length; at += PART) made.push(h("div", { class: "exact-part" }, rows.slice(at, at + PART)));
  return made;
}

function rowsOf(lines, isPatch) {
  return counted(lines).map(({ at, line, lines: number }) =>
    number > 1 ? row(at + 1, "", mark(emptyLines(number))) : row(at + 1, isPatch ? toneOf(line) : "", exactLine(line)),
  );
}

function toneOf(line) {
  return PATCHED.find(([pattern]) => pattern.test(line))?.[1] ?? "";
}

function row(number, tone, ...content) {
  return h("code", { class: `exact-line ${tone}`, "data-number": number }, content);
}
