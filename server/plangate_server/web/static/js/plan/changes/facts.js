/** What changed beside the text: name, overview, flags, todos, phases. */

import { h } from "../../ui/dom.js";
import { marked } from "../../ui/hidden.js";
import { count } from "../../ui/words.js";
import { countOf } from "./rows.js";
import { inOne } from "./words.js";

const FLAGS = { isProject: "a project", isSpec: "a specification" };

/** A list of it; null if there is nothing to tell. */
export function otherChanges(before, after) {
  const items = [
    ...["name", "overview"].filter((field) => differs(before, after, field)).map((field) => textChange(before, after, field)),
    ...Object.keys(FLAGS).filter((flag) => Boolean(before[flag]) !== Boolean(after[flag])).map((flag) => flagChange(after, flag)),
    ...todoChanges(before, after).map(todoChange),
    isMoved(before, after) && item("moved", "todos", "The same todos stand in another order."),
    JSON.stringify(phasesOf(before)) !== JSON.stringify(phasesOf(after)) && phaseChange(before, after),
  ].filter(Boolean);
  return items.length > 0 && h("ul", { class: "facts-changed", "aria-label": "Changed beside the text" }, items);
}

/** All of it in a few words. */
export function inBrief(before, after, rows) {
  const lines = countOf(rows);
  const todos = todoChanges(before, after);
  const parts = [
    lines.added && `${count(lines.added, "line")} added`,
    lines.removed && `${count(lines.removed, "line")} removed`,
    todos.length && `${count(todos.length, "todo")} changed`,
    ...["name", "overview"].map((field) => differs(before, after, field) && `another ${field}`),
  ].filter(Boolean);
  return parts.join(", ") || (otherChanges(before, after) ? "flags, phases or order changed" : "nothing changed");
}

function differs(before, after, field) {
  return (before[field] ?? "") !== (after[field] ?? "");
}

function todoChanges(before, after) {
  const old = new Map((before.todos ?? []).map((todo) => [todo.id, todo]));
  const now = new Map((after.todos ?? []).map((todo) => [todo.id, todo]));
  const changed = [...now.values()].map((todo) => [old.get(todo.id), todo]).filter(([was, is]) => !was || told(was) !== told(is));
  return [...changed, ...[...old.values()].filter((todo) => !now.has(todo.id)).map((todo) => [todo, null])];
}

/** A todo without its status, which is progress and no content. */
function told({ content, dependencies }) {
  return JSON.stringify([content ?? "", dependencies ?? []]);
}

function isMoved(before, after) {
  const [one, other] = [before, after].map((plan) => (plan.todos ?? []).map((todo) => todo.id));
  return one.join("\n") !== other.join("\n") && [...one].sort().join("\n") === [...other].sort().join("\n");
}

function phasesOf(plan) {
  return (plan.phases ?? []).map((phase) => [phase.name ?? "", (phase.todos ?? []).map((todo) => todo.id)]);
}

function item(kind, name, ...words) {
  const sign = { added: "+", removed: "−", changed: "±", moved: "↕" }[kind];
  return h("li", { class: kind }, h("span", { class: "sign", title: kind, role: "img", "aria-label": kind }, sign), h("span", { class: "name" }, name), h("span", { class: "words" }, words));
}

function textChange(before, after, field) {
  return item("changed", field, inOne(before[field] ?? "", after[field] ?? ""));
}

function flagChange(after, flag) {
  return item("changed", "kind", `It is ${after[flag] ? "now" : "no longer"} ${FLAGS[flag]}.`);
}

function todoChange([was, is]) {
  const name = [`todo `, h("code", {}, marked((is ?? was).id))];
  if (!was) return item("added", name, h("ins", {}, marked(is.content ?? "")), after([], is.dependencies ?? []));
  if (!is) return item("removed", name, h("del", {}, marked(was.content ?? "")));
  return item("changed", name, inOne(was.content ?? "", is.content ?? ""), after(was.dependencies ?? [], is.dependencies ?? []));
}

function after(was, is) {
  if (was.join() === is.join()) return null;
  return h("span", { class: "after" }, " after ", inOne(was.join(", "), is.join(", ") || "nothing"));
}

function phaseChange(before, after) {
  const said = (plan) => phasesOf(plan).map(([name, ids]) => `${name}: ${ids.join(", ")}`).join("; ");
  return item("changed", "phases", inOne(said(before), said(after)));
}
