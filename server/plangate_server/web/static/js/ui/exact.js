/** A line that somebody decides about: every character is drawn, marked or counted, and nothing hides behind spaces. */

import { h } from "./dom.js";
import { marked } from "./hidden.js";

const PADDING = /[ \t]{40,}/g; // far more than anybody indents
const LONG = 1000;

export function exactLine(line) {
  const end = endOfText(line);
  const trailing = line.slice(end);
  return [
    padded(line.slice(0, end)),
    trailing && (trailing.length < 40 ? dots(trailing) : counted(trailing)),
    line.length > LONG && h("mark", { class: "hidden" }, `${line.length.toLocaleString()} characters in one line`),
  ];
}

/** How many characters of a text are not drawn. */
export function unseenIn(text) {
  return marked(text).filter(isMark).length;
}

/** Not by a pattern: one that looks for the end tries anew at every space before it. */
function endOfText(line) {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end -= 1;
  return end;
}

function padded(text) {
  const parts = [];
  let from = 0;
  for (const { 0: spaces, index } of text.matchAll(PADDING)) {
    parts.push(joined(text.slice(from, index)), counted(spaces));
    from = index + spaces.length;
  }
  return [...parts, joined(text.slice(from))];
}

/** The marks, with the same one many times in a row as one with a number. */
function joined(text) {
  const parts = [];
  let times = 1;
  for (const part of marked(text).filter((each) => each !== "")) {
    const last = parts.at(-1);
    if (isMark(part) && isMark(last) && last.dataset.code === part.textContent) {
      times += 1;
      last.textContent = `${last.dataset.code} × ${times.toLocaleString()}`;
    } else {
      if (isMark(part)) part.dataset.code = part.textContent;
      times = 1;
      parts.push(part);
    }
  }
  return parts;
}

function isMark(part) {
  return part instanceof Element;
}

function dots(spaces) {
  return h("mark", { class: "hidden", title: "spaces at the end" }, spaces.replaceAll(" ", "·").replaceAll("\t", "⇥"));
}

function counted(spaces) {
  return h("mark", { class: "hidden", title: "spaces" }, `${spaces.length.toLocaleString()} spaces`);
}
