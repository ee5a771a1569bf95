/** A line that somebody decides about: every character is drawn, marked or counted, and nothing hides behind spaces. */

import { h } from "./dom.js";
import { blanks, marked } from "./hidden.js";
import { MOST_BLANKS } from "./unicode_table.js";

const LONG = 1000;

export function exactLine(line) {
  return [marked(line.slice(0, endOfText(line))), endOfLine(line)];
}

/** The spaces after the last character that is drawn, and the count if the line is longer than anybody reads. */
export function endOfLine(line) {
  const trailing = line.slice(endOfText(line));
  return [
    trailing && h("mark", { class: "hidden", title: "spaces at the end" }, dots(trailing)),
    line.length > LONG && h("mark", { class: "hidden" }, `${line.length.toLocaleString()} characters in one line`),
  ];
}

/** Not by a pattern: one that looks for the end tries anew at every space before it. */
export function endOfText(line) {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end -= 1;
  return end;
}

function dots(spaces) {
  if (spaces.length > MOST_BLANKS) return blanks(spaces.length);
  return spaces.replaceAll(" ", "·").replaceAll("\t", "⇥");
}
