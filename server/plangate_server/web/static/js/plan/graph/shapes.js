/** A box of the picture: its outline says the state, and so does its sign; its words are cut to two lines. */

import { spelled } from "../../ui/hidden.js";
import { BOX } from "./layout.js";

const { width: W, height: H } = BOX;
const R = H / 2;
const C = 10; // a corner that is cut off

const OUTLINES = {
  ready: `M${R} 0H${W - R}A${R} ${R} 0 0 1 ${W - R} ${H}H${R}A${R} ${R} 0 0 1 ${R} 0Z`,
  blocked: `M0 0H${W}V${H}H0Z`,
  in_progress: `M${C} 0H${W - C}L${W} ${R}L${W - C} ${H}H${C}L0 ${R}Z`,
  completed: `M8 0H${W - 8}A8 8 0 0 1 ${W} 8V${H - 8}A8 8 0 0 1 ${W - 8} ${H}H8A8 8 0 0 1 0 ${H - 8}V8A8 8 0 0 1 8 0Z`,
  cancelled: `M${C} 0H${W - C}L${W} ${C}V${H - C}L${W - C} ${H}H${C}L0 ${H - C}V${C}Z`,
};

export function outlineOf(state) {
  return OUTLINES[state];
}

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\u{1f300}-\u{1faff}]/u;
const MOST = 24; // narrow characters in a line of the box

function wide(text) {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** Two lines at most, with a sign where something is left out. */
export function twoLines(content) {
  const words = spelled(content).split(/\s+/).filter(Boolean).flatMap(pieces);
  const lines = [""];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (wide(longer) <= MOST) lines[lines.length - 1] = longer;
    else if (lines.length < 2) lines.push(word);
    else return [lines[0], `${lines[1]}…`];
  }
  return lines;
}

/** A word that does not fit into a line, in parts that do. */
function pieces(word) {
  const parts = [""];
  for (const character of word) {
    if (wide(parts.at(-1) + character) > MOST) parts.push("");
    parts[parts.length - 1] += character;
  }
  return parts;
}
