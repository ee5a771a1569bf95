/** The todos as a picture: waves from left to right, lines from what must be done before. */

import { button, fill, h, svg } from "../../ui/dom.js";
import { count } from "../../ui/words.js";
import { ALL_STATES, statesOf } from "../todo_states.js";
import { boxElement } from "./box.js";
import { edgeElements } from "./edges.js";
import { layoutOf } from "./layout.js";
import { nextBox } from "./moving.js";

const LEGIBLE = 0.8; // of the full size: what fits then is shown whole, what does not is scrolled at full size

/** pick(id) when somebody chooses a todo in it. */
export function todoGraph(pick) {
  const picture = svg("svg", { role: "group", on: { keydown, click, focusin, mouseover: focusin, mouseleave } });
  const frame = h("div", { class: "frame" }, picture);
  const legend = h("ul", { class: "legend", "aria-label": "What the shapes mean" });
  const fit = button("Whole picture", () => {
    const isFit = frame.classList.toggle("fit");
    fit.setAttribute("aria-pressed", String(isFit));
  }, { class: "small", "aria-pressed": "false" });
  const graph = h("div", { class: "graph" }, h("div", { class: "graph-foot" }, legend, fit), frame);
  let layout = null;
  let drawn = "";

  function draw(plan) {
    layout = layoutOf(plan);
    const { width, height, waves, boxes } = layout;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.style.maxWidth = `${width}px`;
    picture.style.minWidth = `clamp(0px, (${LEGIBLE * width}px - 100%) * 9999, ${width}px)`;
    picture.setAttribute("aria-label", `${count(boxes.size, "todo")} in ${count(waves.length, "wave")}, arrow keys move`);
    fill(picture, waves.map(waveName), edgeElements(boxes), [...boxes.values()].map((box, at) => boxElement(box, at === 0)));
  }

  graph.show = (plan) => {
    const todos = plan.todos ?? [];
    graph.hidden = !todos.length;
    if (!todos.length) return;
    const shape = JSON.stringify([todos.map(({ id, content, dependencies }) => [id, content, dependencies]), plan.phases?.map(({ name, todos: ids }) => [name, ids?.map(({ id }) => id)])]);
    if (shape !== drawn) draw(plan);
    drawn = shape;
    const states = statesOf(todos);
    for (const element of boxElements()) element.show(states.get(element.dataset.todo));
    fill(legend, ALL_STATES.map(([name, { words, sign }]) => legendItem(name, words, sign, [...states.values()].filter((state) => state === name).length)));
  };

  function boxElements() {
    return [...picture.querySelectorAll("[data-todo]")];
  }

  function idOf(event) {
    return event.target.closest?.("[data-todo]")?.dataset.todo;
  }

  function click(event) {
    const id = idOf(event);
    if (id !== undefined) pick(id);
  }

  function keydown(event) {
    const id = idOf(event);
    if (id === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = event.key === "Enter" || event.key === " " ? id : nextBox(layout.boxes, id, event.key);
    if (to === undefined) return;
    event.preventDefault();
    if (to === id) pick(id);
    else boxElements().find((element) => element.dataset.todo === to).focus();
  }

  /** The one in focus is the one that Tab comes back to; its lines stand out. */
  function focusin(event) {
    const id = idOf(event);
    if (id === undefined) return mouseleave();
    if (event.type === "focusin") for (const element of boxElements()) element.setAttribute("tabindex", element.dataset.todo === id ? "0" : "-1");
    for (const edge of picture.querySelectorAll(".edge")) edge.classList.toggle("near", edge.dataset.from === id || edge.dataset.to === id);
    return undefined;
  }

  function mouseleave() {
    for (const edge of picture.querySelectorAll(".edge.near")) edge.classList.remove("near");
  }
  return graph;
}

function waveName({ x, width, count: number }, at) {
  return svg("text", { class: "wave", x: x + width / 2, y: 26 }, `wave ${at + 1}${number > 1 ? ` · ${number} side by side` : ""}`);
}

function legendItem(name, words, sign, number) {
  return number > 0 && h("li", { class: name }, h("span", { class: "sign", "aria-hidden": "true" }, sign), ` ${number} ${words}`);
}
