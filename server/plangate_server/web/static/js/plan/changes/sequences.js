/** What two sequences have in common. What occurs once in each holds them together, which people find easiest to read. */

const MOST = 1_000_000; // cells of a table; beyond, a stretch without a hold counts as replaced

/** Pairs of places of equal items, in order. */
export function matches(one, other) {
  const found = [];
  within({ one, other, found }, [0, one.length, 0, other.length]);
  return found;
}

function within(both, [from, to, otherFrom, otherTo]) {
  const { one, other, found } = both;
  const tail = [];
  while (from < to && otherFrom < otherTo && one[from] === other[otherFrom]) found.push([from++, otherFrom++]);
  while (from < to && otherFrom < otherTo && one[to - 1] === other[otherTo - 1]) tail.push([--to, --otherTo]);
  if (from < to && otherFrom < otherTo) {
    const holds = holdsOf(both, [from, to, otherFrom, otherTo]);
    if (holds.length) between(both, holds, [from, to, otherFrom, otherTo]);
    else if ((to - from) * (otherTo - otherFrom) <= MOST) byTable(both, [from, to, otherFrom, otherTo]);
  }
  while (tail.length) found.push(tail.pop());
}

function between(both, holds, [from, to, otherFrom, otherTo]) {
  for (const [at, otherAt] of holds) {
    within(both, [from, at, otherFrom, otherAt]);
    both.found.push([at, otherAt]);
    [from, otherFrom] = [at + 1, otherAt + 1];
  }
  within(both, [from, to, otherFrom, otherTo]);
}

/** The longest row of items that occur once in each, in the same order in both. */
function holdsOf({ one, other }, [from, to, otherFrom, otherTo]) {
  const seen = new Map();
  for (let at = from; at < to; at += 1) seen.set(one[at], seen.has(one[at]) ? null : { at, places: 0 });
  for (let at = otherFrom; at < otherTo; at += 1) {
    const hold = seen.get(other[at]);
    if (hold) Object.assign(hold, { otherAt: at, places: hold.places + 1 });
  }
  return longestRising([...seen.values()].filter((hold) => hold?.places === 1));
}

function longestRising(holds) {
  const ends = [];
  for (const hold of holds) {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (ends[middle].otherAt < hold.otherAt) low = middle + 1;
      else high = middle;
    }
    hold.before = ends[low - 1];
    ends[low] = hold;
  }
  const row = [];
  for (let hold = ends.at(-1); hold; hold = hold.before) row.push([hold.at, hold.otherAt]);
  return row.reverse();
}

/** The longest common sequence, by the table that everybody knows. */
function byTable({ one, other, found }, [from, to, otherFrom, otherTo]) {
  const width = otherTo - otherFrom + 1;
  const lengths = new Uint32Array((to - from + 1) * width);
  const cell = (at, otherAt) => (at - from) * width + otherAt - otherFrom;
  for (let at = to - 1; at >= from; at -= 1) {
    for (let otherAt = otherTo - 1; otherAt >= otherFrom; otherAt -= 1) {
      lengths[cell(at, otherAt)] =
        one[at] === other[otherAt]
          ? lengths[cell(at + 1, otherAt + 1)] + 1
          : Math.max(lengths[cell(at + 1, otherAt)], lengths[cell(at, otherAt + 1)]);
    }
  }
  let [at, otherAt] = [from, otherFrom];
  while (at < to && otherAt < otherTo) {
    if (one[at] === other[otherAt]) found.push([at++, otherAt++]);
    else if (lengths[cell(at + 1, otherAt)] >= lengths[cell(at, otherAt + 1)]) at += 1;
    else otherAt += 1;
  }
}
