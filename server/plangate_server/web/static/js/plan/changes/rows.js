/** Two texts beside each other: rows of a line each, those that became one another in the same row. */

import { matches } from "./sequences.js";
import { isAlike, likeness } from "./words.js";

const MOST = 4000; // pairs of lines to weigh against each other

/** Each row has a line on the left, on the right, or on both; `same` if they are equal. Lines count from 1. */
export function rowsOf(before, after) {
  const [one, other] = [before.split("\n"), after.split("\n")];
  const rows = [];
  let [from, otherFrom] = [0, 0];
  for (const [at, otherAt] of [...matches(one, other), [one.length, other.length]]) {
    for (const row of changed(sideOf(one, from, at), sideOf(other, otherFrom, otherAt))) rows.push(row);
    if (at < one.length) rows.push({ same: true, left: lineOf(one, at), right: lineOf(other, otherAt) });
    [from, otherFrom] = [at + 1, otherAt + 1];
  }
  return rows;
}

export function countOf(rows) {
  const differing = rows.filter((row) => !row.same);
  return {
    added: differing.filter((row) => row.right).length,
    removed: differing.filter((row) => row.left).length,
  };
}

function lineOf(lines, at) {
  return { line: at + 1, text: lines[at] };
}

function sideOf(lines, from, to) {
  return lines.slice(from, to).map((text, index) => ({ line: from + index + 1, text }));
}

/** Lines that went and lines that came in their place. */
function changed(left, right) {
  const rows = [];
  let [from, otherFrom] = [0, 0];
  const rest = (to, otherTo) => {
    for (const line of left.slice(from, to)) rows.push({ left: line, right: null });
    for (const line of right.slice(otherFrom, otherTo)) rows.push({ left: null, right: line });
  };
  for (const [at, otherAt] of successors(left, right)) {
    rest(at, otherAt);
    rows.push({ left: left[at], right: right[otherAt] });
    [from, otherFrom] = [at + 1, otherAt + 1];
  }
  rest(left.length, right.length);
  return rows;
}

/** Which became which: the choice, in order, that is most alike in sum. */
function successors(left, right) {
  if (left.length === 1 && right.length === 1) return [[0, 0]];
  if (!left.length || !right.length || left.length * right.length > MOST) return [];
  const like = left.map((one) => right.map((other) => (isAlike(one.text, other.text) ? likeness(one.text, other.text) : 0)));
  const best = left.map(() => []).concat([[]]);
  const at = (i, j) => best[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      best[i][j] = Math.max(at(i + 1, j), at(i, j + 1), like[i][j] && at(i + 1, j + 1) + like[i][j]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (like[i][j] && best[i][j] === at(i + 1, j + 1) + like[i][j]) pairs.push([i++, j++]);
    else if (best[i][j] === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}
