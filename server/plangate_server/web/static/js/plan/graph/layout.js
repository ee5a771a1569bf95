/** Where the todos of a plan stand in the picture: waves from left to right, each as high as a screen at most. */

import { wavesOf } from "../waves.js";

export const BOX = { width: 222, height: 46 };
const GAP = { between: 12, columns: 20, waves: 64, phase: 12 };
const EDGE = 16;
const HEAD = 28; // for the name of the wave
const MOST = 11; // in one column
const ALONE = 3; // columns of the only wave, which would otherwise be a tower beside nothing

/** Boxes with their place, waves with theirs, and how large it is altogether. */
export function layoutOf(plan) {
  const phases = phasesOf(plan);
  const boxes = new Map();
  const waves = [];
  const top = EDGE + HEAD + (phases.size && GAP.phase);
  const step = BOX.height + GAP.between + (phases.size && GAP.phase);
  let x = EDGE;
  const all = wavesOf(plan.todos ?? []);
  for (const todos of all) {
    const ordered = inOrder(todos, boxes, phases);
    const fewest = all.length === 1 ? Math.min(ALONE, ordered.length) : 1;
    const columns = Math.max(fewest, Math.ceil(ordered.length / MOST));
    const high = Math.ceil(ordered.length / columns);
    ordered.forEach((todo, at) => {
      const phase = phases.get(todo.id)?.name ?? "";
      const isFirst = at % high === 0 || phase !== (phases.get(ordered[at - 1].id)?.name ?? "");
      boxes.set(todo.id, {
        todo,
        wave: waves.length,
        phase,
        heading: isFirst ? phase : "",
        x: x + Math.floor(at / high) * (BOX.width + GAP.columns),
        y: top + (at % high) * step,
      });
    });
    const width = columns * BOX.width + (columns - 1) * GAP.columns;
    waves.push({ x, width, count: ordered.length });
    x += width + GAP.waves;
  }
  const bottom = Math.max(...[...boxes.values()].map((box) => box.y + BOX.height));
  return { boxes, waves, width: x - GAP.waves + EDGE, height: bottom + EDGE };
}

/** The first phase that names a todo, by its id. */
function phasesOf(plan) {
  const found = new Map();
  (plan.phases ?? []).forEach(({ name = "", todos = [] }, place) => {
    for (const { id } of todos) if (!found.has(id)) found.set(id, { name, place });
  });
  return found;
}

/** By phase, then near to what each depends on: so lines cross least. */
function inOrder(todos, boxes, phases) {
  const weight = new Map(todos.map((todo, place) => [todo, [phases.get(todo.id)?.place ?? Infinity, height(todo, boxes), place]]));
  return [...todos].sort((one, other) => compare(weight.get(one), weight.get(other)));
}

function height(todo, boxes) {
  const needs = (todo.dependencies ?? []).map((id) => boxes.get(id)).filter(Boolean);
  return needs.reduce((sum, box) => sum + box.y, 0) / Math.max(1, needs.length);
}

function compare(one, other) {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at] < other[at] ? -1 : 1;
}
