/** Characters that nobody sees: made visible, never dropped. The same ones as the gate's own web/hidden.py. */

import { h } from "./dom.js";

const UNSEEN = String.raw`\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;
const HIDDEN = new RegExp(`(?![\\n\\t ])[${UNSEEN}]`, "gu");
const PADDING = String.raw`[ \t]{40,}`; // far more than anybody indents: it pushes what follows out of view
const ANY = new RegExp(`${HIDDEN.source}|${PADDING}`, "gu");

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

/** How many hidden characters a text has. */
export function hiddenIn(text) {
  return text.match(HIDDEN)?.length ?? 0;
}

/** The text with the name of each of them, where there is no place for marks. */
export function spelled(text) {
  return text.replace(ANY, (found) => `‹${nameOf(found)}›`);
}

function mark(found) {
  return h("mark", { class: "hidden", title: "what is not drawn" }, nameOf(found));
}

function nameOf(found) {
  if (/^[ \t]/.test(found)) return `${found.length.toLocaleString()} spaces`;
  return `U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
