/** Arrow keys in the picture: to the nearest box in that direction. */

const TURNS = {
  ArrowRight: (from, to) => [to.x - from.x, Math.abs(to.y - from.y)],
  ArrowLeft: (from, to) => [from.x - to.x, Math.abs(to.y - from.y)],
  ArrowDown: (from, to) => [to.y - from.y, Math.abs(to.x - from.x)],
  ArrowUp: (from, to) => [from.y - to.y, Math.abs(to.x - from.x)],
};

/** The id of the box to go to; nothing if there is none, or if it is another key. */
export function nextBox(boxes, id, key) {
  const from = boxes.get(id);
  if (key === "Home" || key === "End") return [...boxes.keys()].at(key === "Home" ? 0 : -1);
  if (!TURNS[key]) return undefined;
  const ahead = [...boxes].map(([other, box]) => [other, ...TURNS[key](from, box)]).filter(([, forward]) => forward > 0);
  return ahead.sort(([, far, aside], [, otherFar, otherAside]) => far + 2 * aside - otherFar - 2 * otherAside)[0]?.[0];
}
