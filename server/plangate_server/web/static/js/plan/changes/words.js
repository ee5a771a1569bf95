/** Words of two lines: which of them differ, and whether one line became the other. */

import { h } from "../../ui/dom.js";
import { endOfLine, endOfText } from "../../ui/exact.js";
import { marked } from "../../ui/hidden.js";
import { matches } from "./sequences.js";

const TOKENS = /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{M}\p{N}_]+|[^]/gu;
const ALIKE = 0.4;

export function tokensOf(line) {
  return line.match(TOKENS) ?? [];
}

/** From 0, nothing in common, to 1, the same words. */
export function likeness(one, other) {
  const count = new Map();
  const words = tokensOf(one).filter((token) => token.trim());
  const others = tokensOf(other).filter((token) => token.trim());
  for (const word of words) count.set(word, (count.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of others) {
    const left = count.get(word) ?? 0;
    if (left > 0) shared += word.length;
    count.set(word, left - 1);
  }
  return (2 * shared) / Math.max(1, words.join("").length + others.join("").length);
}

export function isAlike(one, other) {
  return likeness(one, other) >= ALIKE;
}

/** Both lines for the screen: words that only one of them has are struck out or underlined, never by colour alone. */
export function markedPair(before, after) {
  const [one, other] = [before, after].map((line) => tokensOf(line.slice(0, endOfText(line))));
  const pairs = matches(one, other);
  return [
    [runs(one, new Set(pairs.map(([at]) => at)), "del"), endOfLine(before)],
    [runs(other, new Set(pairs.map(([, at]) => at)), "ins"), endOfLine(after)],
  ];
}

function runs(tokens, kept, tag) {
  const parts = [];
  tokens.forEach((token, at) => {
    const last = parts.at(-1);
    if (last && last.kept === kept.has(at)) last.text += token;
    else parts.push({ kept: kept.has(at), text: token });
  });
  return parts.map((part) => (part.kept ? marked(part.text) : h(tag, {}, marked(part.text))));
}

/** A short text that changed, as one: what went struck out, what came underlined. */
export function inOne(before, after) {
  const [one, other] = [tokensOf(before), tokensOf(after)];
  const parts = [];
  let [from, otherFrom] = [0, 0];
  for (const [at, otherAt] of [...matches(one, other), [one.length, other.length]]) {
    if (at > from) parts.push(h("del", {}, marked(one.slice(from, at).join(""))));
    if (otherAt > otherFrom) parts.push(h("ins", {}, marked(other.slice(otherFrom, otherAt).join(""))));
    parts.push(marked(one[at] ?? ""));
    [from, otherFrom] = [at + 1, otherAt + 1];
  }
  return parts;
}
