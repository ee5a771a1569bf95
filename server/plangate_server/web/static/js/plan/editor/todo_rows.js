/** Todos in boxes: what is to be done, and after which others. */

import { button, fill, h, say } from "../../ui/dom.js";
import { marked, spelled } from "../../ui/hidden.js";

/** Shows and changes the todos of a draft; changed() after each change. */
export function todoRows(changed) {
  const list = h("ol", { class: "todo-rows" });
  const add = button("Add a todo", () => begin(), { class: "small" });
  const element = h("fieldset", {}, h("legend", {}, "Todos"), list, add);
  let draft = null;
  let phases = [];

  function begin() {
    const todo = { id: freeId(draft.todos), content: "", after: "", isNew: true };
    draft.todos.push(todo);
    const row = todoRow(todo, phases, changed);
    list.append(row);
    row.querySelector("textarea").focus();
    changed();
  }

  element.show = (next, plan) => {
    draft = next;
    phases = (plan.phases ?? []).map((phase) => phase.name ?? "");
    fill(list, draft.todos.map((todo) => todoRow(todo, phases, changed)));
  };
  return element;
}

function freeId(todos) {
  const taken = new Set(todos.map((todo) => todo.id));
  let number = todos.length + 1;
  while (taken.has(`todo-${number}`)) number += 1;
  return `todo-${number}`;
}

function todoRow(todo, phases, changed) {
  const field = (tag, name, words, more = {}) => {
    const box = h(tag, { "aria-label": spelled(`${words} of todo ${todo.id}`), ...more, on: { input: () => keep(name, box.value) } });
    box.value = todo[name] ?? "";
    return box;
  };
  const keep = (name, value) => {
    todo[name] = value;
    changed();
  };
  const remove = button("", () => {
    keep("isRemoved", !todo.isRemoved);
    show();
  }, { class: "quiet small" });
  const row = h(
    "li",
    {},
    todo.isNew ? field("input", "id", "Id", { class: "id" }) : h("code", { class: "id" }, marked(todo.id)),
    field("textarea", "content", "Words", { rows: 1 }),
    h("label", { class: "after" }, "after ", field("input", "after", "What must be done before", { placeholder: "nothing" })),
    todo.isNew && phases.length > 0 && h("label", { class: "phase" }, "in ", phaseSelect(todo, phases, keep)),
    remove,
  );
  function show() {
    row.classList.toggle("removed", Boolean(todo.isRemoved));
    say(remove, todo.isRemoved ? "Put back" : "Remove");
    remove.setAttribute("aria-label", spelled(`${remove.textContent} todo ${todo.id}`));
  }
  show();
  return row;
}

function phaseSelect(todo, phases, keep) {
  const options = ["", ...phases].map((name) => h("option", { value: name, selected: name === (todo.phase ?? "") }, spelled(name) || "no phase"));
  const select = h("select", { "aria-label": "Phase", on: { change: () => keep("phase", select.value) } }, options);
  return select;
}
