/** A line that somebody decides about: every character is drawn, marked or counted, and nothing hides behind spaces. */

import { h } from "./dom.js";
import { marked } from "./hidden.js";

const LONG = 1000;

export function exactLine(line) {
  return [joined(marked(line.slice(0, endOfText(line)))), endOfLine(line)];
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

/** The marks, with the same one many times in a row as one with a number. */
function joined(parts) {
  const some = [];
  let code = "";
  let times = 0;
  for (const part of parts) {
    if (part === "") continue;
    const next = typeof part === "string" ? "" : part.textContent;
    if (next && next === code) {
      times += 1;
      some.at(-1).textContent = `${code} × ${times.toLocaleString()}`;
    } else {
      some.push(part);
      code = next;
      times = 1;
    }
  }
  return some;
}

function dots(spaces) {
  if (spaces.length >= 40) return `${spaces.length.toLocaleString()} spaces`;
  return spaces.replaceAll(" ", "·").replaceAll("\t", "⇥");
}
