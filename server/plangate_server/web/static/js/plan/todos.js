/** What would be done, in the order in which it can be. */

import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { duration } from "../ui/times.js";
import { chip, count } from "../ui/words.js";
import { stateOf, statesOf } from "./todo_states.js";
import { wavesOf } from "./waves.js";

export function todoList() {
  const list = h("ol", { class: "todos" });
  const sum = h("p", { class: "sum" });
  const title = h("h2", { id: "todos-title" }, "Todos");
  const section = h("section", { "aria-labelledby": "todos-title" }, h("div", { class: "section-head" }, title, sum), list);
  section.show = ({ item: { plan } }) => {
    const todos = plan.todos ?? [];
    section.hidden = !todos.length;
    const states = statesOf(todos);
    const done = todos.filter((todo) => states.get(todo.id) === "completed").length;
    fill(sum, `${count(todos.length, "todo")}, ${done} completed`);
    fill(list, wavesOf(todos).flat().map((todo) => todoItem(todo, states, plan)));
  };
  return section;
}

function todoItem(todo, states, plan) {
  const hint = plan.todoHints?.[todo.id] ?? {};
  const { words, sign } = stateOf(states.get(todo.id));
  const needs = todo.dependencies ?? [];
  return h(
    "li",
    { id: `todo-${todo.id}`, class: `todo ${states.get(todo.id)}`, tabindex: "-1" },
    h("span", { class: "sign", title: words, role: "img", "aria-label": words }, sign),
    h("span", { class: "content" }, marked(todo.content ?? "")),
    h(
      "span",
      { class: "facts" },
      h("code", {}, marked(todo.id)),
      needs.length > 0 && h("span", {}, "after ", marked(needs.join(", "))),
      hint.agent && h("span", {}, "by ", marked(hint.agent)),
      hint.estimatedTime && h("span", {}, duration(hint.estimatedTime)),
      hint.labels?.length && h("span", {}, marked(hint.labels.join(", "))),
      hint.access && chip(hint.access.replace("TOOL_ACCESS_", "").toLowerCase()),
    ),
  );
}
