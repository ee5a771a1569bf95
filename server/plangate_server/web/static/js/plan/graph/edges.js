/** Lines of the picture: from the right side of what must be done before to the left side of what comes after. */

import { svg } from "../../ui/dom.js";
import { BOX } from "./layout.js";

export function edgeElements(boxes) {
  return [...boxes.values()].flatMap((to) =>
    (to.todo.dependencies ?? []).filter((id) => boxes.has(id)).map((id) => edge(boxes.get(id), to)),
  );
}

function edge(from, to) {
  const [x, y] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [endX, endY] = [to.x, to.y + BOX.height / 2];
  const bend = Math.max(24, (endX - x) / 2);
  const way = `M${x} ${y}C${x + bend} ${y} ${endX - bend - 6} ${endY} ${endX - 6} ${endY}`;
  const tip = `M${endX - 7} ${endY - 4}L${endX} ${endY}L${endX - 7} ${endY + 4}Z`;
  return svg("g", { class: "edge", "data-from": from.todo.id, "data-to": to.todo.id, "aria-hidden": "true" }, svg("path", { class: "way", d: way }), svg("path", { class: "tip", d: tip }));
}
