/** What would be done, in the order in which it can be. */

import { fill, h, keyed } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { duration } from "../ui/times.js";
import { chip, count } from "../ui/words.js";
import { todoGraph } from "./graph/view.js";
import { stateOf, statesOf } from "./todo_states.js";
import { wavesOf } from "./waves.js";

export function todoList() {
  const list = h("ol", { class: "todos" });
  const graph = todoGraph((id) => list.querySelector(`[data-key="${CSS.escape(id)}"]`)?.focus());
  const sum = h("p", { class: "sum" });
  const title = h("h2", { id: "todos-title" }, "Todos");
  const section = h("section", { "aria-labelledby": "todos-title" }, h("div", { class: "section-head" }, title, sum), graph, list);
  section.show = ({ item: { plan } }) => {
    const todos = plan.todos ?? [];
    const states = statesOf(todos);
    const done = todos.filter((todo) => states.get(todo.id) === "completed").length;
    fill(sum, todos.length ? `${count(todos.length, "todo")}, ${done} completed` : "This plan has no todos.");
    graph.show(plan);
    list.hidden = !todos.length;
    const items = wavesOf(todos).flat().map((todo) => ({ todo, state: states.get(todo.id), hint: plan.todoHints?.[todo.id] ?? {} }));
    keyed(list, items, ({ todo }) => todo.id, todoItem);
  };
  return section;
}

function todoItem() {
  const element = h("li", { tabindex: "-1" });
  let shown = "";
  element.show = (item) => {
    if (JSON.stringify(item) === shown) return;
    shown = JSON.stringify(item);
    element.className = `todo ${item.state}`;
    const { words, sign } = stateOf(item.state);
    fill(
      element,
      h("span", { class: "sign", title: words, role: "img", "aria-label": words }, sign),
      h("span", { class: "content" }, marked(item.todo.content ?? "")),
      facts(item),
    );
  };
  return element;
}

function facts({ todo, hint }) {
  const needs = todo.dependencies ?? [];
  return h(
    "span",
    { class: "facts" },
    h("code", {}, marked(todo.id)),
    needs.length > 0 && h("span", {}, "after ", marked(needs.join(", "))),
    hint.agent && h("span", {}, "by ", marked(hint.agent)),
    hint.estimatedTime && h("span", {}, duration(hint.estimatedTime)),
    hint.labels?.length && h("span", {}, marked(hint.labels.join(", "))),
    hint.access && chip(hint.access.replace("TOOL_ACCESS_", "").toLowerCase()),
  );
}
