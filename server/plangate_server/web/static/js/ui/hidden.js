/** Characters that nobody sees: made visible, never dropped. The same ones as the gate's own web/hidden.py. */

import { h } from "./dom.js";

const UNSEEN = String.raw`\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;
const HIDDEN = new RegExp(`(?![\\n\\t ])[${UNSEEN}]`, "u");
const PADDING = String.raw`(?<=[^ \t\n])[ \t]{40,}(?=[^ \t\n])`;
const ANY = new RegExp(`${HIDDEN.source}|${PADDING}`, "gu");
const LONG = 1000;

export function isHidden(character) {
  return HIDDEN.test(character);
}

/** The text with a mark in the place of each hidden character and of padding, as children for an element. */
export function marked(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(ANY)) {
    parts.push(text.slice(from, found.index), mark(found[0]));
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

/** The same for a line of source, where spaces at the end and more than a line should have count, too. */
export function markedLine(line) {
  const bare = line.replace(/[ \t]+$/, "");
  const trailing = line.slice(bare.length);
  return [
    marked(bare),
    trailing && h("mark", { class: "hidden", title: "spaces at the end" }, trailing.replaceAll(" ", "·").replaceAll("\t", "⇥")),
    line.length > LONG && h("mark", { class: "hidden" }, `${line.length} characters in one line`),
  ];
}

/** The same as plain text, for where there are no elements. */
export function visible(text) {
  return text.replaceAll(ANY, nameOf);
}

function mark(found) {
  return h("mark", { class: "hidden", title: "what is not drawn" }, nameOf(found));
}

function nameOf(found) {
  if (/^[ \t]/.test(found)) return ` ${found.length} spaces `;
  return `U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
