/** What nobody sees in a text, and what pushes the rest out of view: marked, never dropped. The same rule as the commands'. */

import { h } from "./dom.js";
import { ABOVE, HIDDEN, MOST_ABOVE, MOST_BLANKS, MOST_EMPTY_LINES } from "./unicode_table.js";

const [UNSEEN, MARKS] = [HIDDEN, ABOVE].map(classOf);
// What is not drawn, with the marks on it; marks on nothing; and more of them than a character bears.
const UNDRAWN = String.raw`[${UNSEEN}][${UNSEEN}${MARKS}]*|(?<![^\n\t ])[${MARKS}]+|(?<=[${MARKS}]{${MOST_ABOVE}})[${MARKS}]+`;
const BLANKS = `[ \\t]{${MOST_BLANKS + 1},}`;
const EMPTY_LINES = String.raw`(?<![^\n])(?:[ \t]*\n){${MOST_EMPTY_LINES},}[ \t]*(?:\n|$)`;
const HIDING = new RegExp(UNDRAWN, "gu");
const ANY = new RegExp(`(?<empty>${EMPTY_LINES})|(?<blanks>${BLANKS})|${UNDRAWN}`, "gu");
const MOST = 32; // different ones in a row: of more, the number is said

/** The text with a mark in the place of what nobody sees and of padding, as children for an element. */
export function marked(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(ANY)) {
    const end = found.index + found[0].length;
    parts.push(text.slice(from, found.index), namesOf(found).map(mark), found.groups.empty && end < text.length && "\n");
    from = end;
  }
  return [...parts, text.slice(from)];
}

/** How many hidden characters a text has. */
export function hiddenIn(text) {
  let sum = 0;
  for (const [found] of text.matchAll(HIDING)) sum += [...found].length;
  return sum;
}

/** The text with the name of each of them, where there is no place for marks. */
export function spelled(text) {
  const parts = marked(text).flat().filter(Boolean);
  return parts.map((part) => (typeof part === "string" ? part : `‹${part.textContent}›`)).join("");
}

/** Lines with their numbers from 0, and with how many they are: one stands for as many empty ones as nobody needs. */
export function counted(lines) {
  const some = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && !lines[end].replace(/^[ \t]+/, "")) end += 1;
    if (end - at > MOST_EMPTY_LINES) some.push({ at, line: "", lines: end - at });
    else for (let each = at; each < Math.max(end, at + 1); each += 1) some.push({ at: each, line: lines[each], lines: 1 });
    at = Math.max(end, at + 1);
  }
  return some;
}

export function emptyLines(number) {
  return `${number.toLocaleString()} empty lines`;
}

export function blanks(number) {
  return `${number.toLocaleString()} spaces`;
}

function namesOf({ 0: found, groups, index, input }) {
  if (groups.empty) return [emptyLines(found.split("\n").length - (index + found.length < input.length ? 1 : 0))];
  if (groups.blanks) return [blanks(found.length)];
  const codes = runsOf(found);
  const names = codes.slice(0, MOST).map(([code, times]) => (times > 1 ? `${code} × ${times.toLocaleString()}` : code));
  const rest = codes.slice(MOST).reduce((sum, [, times]) => sum + times, 0);
  return rest ? [...names, `${rest.toLocaleString()} more that are hidden`] : names;
}

/** Each character with how often it comes in a row. */
function runsOf(found) {
  const runs = [];
  for (const character of found) {
    const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    if (runs.at(-1)?.[0] === code) runs.at(-1)[1] += 1;
    else runs.push([code, 1]);
  }
  return runs;
}

export function mark(words) {
  return h("mark", { class: "hidden", title: "what is not drawn" }, words);
}

/** Spans like "200b-200f" as a class of a pattern. */
function classOf(spans) {
  return spans.trim().split(/\s+/).map((span) => span.replace(/[0-9a-f]+/g, (code) => `\\u{${code}}`)).join("");
}
