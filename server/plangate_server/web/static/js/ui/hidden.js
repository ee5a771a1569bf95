/** Characters that nobody sees: made visible, never dropped. The same ones as the gate's own web/hidden.py. */

import { h } from "./dom.js";

const UNSEEN = String.raw`\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;
const ANY = new RegExp(`(?![\\n\\t ])[${UNSEEN}]`, "gu");
const LONG = 1000;

/** The text with a mark in the place of each hidden character, as children for an element. */
export function marked(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(ANY)) {
    parts.push(text.slice(from, found.index), mark(found[0]));
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

/** How many of them a text has. */
export function hiddenIn(text) {
  return text.match(ANY)?.length ?? 0;
}

/** The same for a line of source, where spaces at the end and more than a line should have count, too. */
export function markedLine(line) {
  return [marked(line.trimEnd()), markedEnd(line)];
}

/** The end of such a line: what stands after the last character that is drawn, and the count if there are too many. */
export function markedEnd(line) {
  const trailing = line.slice(line.trimEnd().length);
  return [
    trailing && h("mark", { class: "hidden", title: "spaces at the end" }, marked(trailing.replaceAll(" ", "·").replaceAll("\t", "⇥"))),
    line.length > LONG && h("mark", { class: "hidden" }, `${line.length} characters in one line`),
  ];
}

/** The text with the number of each hidden character, where there is no place for marks. */
export function spelled(text) {
  return text.replace(ANY, (character) => `‹${numberOf(character)}›`);
}

function mark(character) {
  return h("mark", { class: "hidden", title: "a character that is not drawn" }, numberOf(character));
}

function numberOf(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
