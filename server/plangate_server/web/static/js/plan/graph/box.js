/** One todo in the picture. */

import { fill, svg } from "../../ui/dom.js";
import { spelled } from "../../ui/hidden.js";
import { stateOf } from "../todo_states.js";
import { outlineOf, twoLines } from "./shapes.js";

export function boxElement(box, isFirst) {
  const { todo, x, y, heading } = box;
  const outline = svg("path", { class: "outline" });
  const sign = svg("text", { class: "sign", x: 24, y: 29 });
  const title = svg("title");
  const lines = twoLines(todo.content || todo.id);
  const words = lines.map((line, at) => svg("text", { class: "words", x: 40, y: lines.length > 1 ? 20 + at * 15 : 28 }, line));
  const element = svg(
    "g",
    { class: "box", role: "link", tabindex: isFirst ? "0" : "-1", "data-todo": todo.id, transform: `translate(${x} ${y})` },
    title,
    outline,
    sign,
    words,
    heading && svg("text", { class: "phase", x: 2, y: -6 }, twoLines(heading)[0]),
  );
  let shown = "";
  element.show = (state) => {
    if (state === shown) return;
    shown = state;
    element.setAttribute("class", `box ${state}`);
    element.setAttribute("aria-label", labelOf(box, state));
    outline.setAttribute("d", outlineOf(state));
    fill(title, labelOf(box, state));
    fill(sign, stateOf(state).sign);
  };
  return element;
}

function labelOf({ todo, wave, phase }, state) {
  const needs = todo.dependencies ?? [];
  const after = needs.length ? `; after ${needs.join(", ")}` : "";
  const where = `; wave ${wave + 1}${phase ? `; phase ${phase}` : ""}`;
  return spelled(`${todo.id}, ${stateOf(state).words}: ${todo.content ?? ""}${after}${where}`);
}
