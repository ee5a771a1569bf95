/** A plan as somebody edits it, and back. */

/** What the boxes hold. Each todo has its dependencies as it is typed. */
export function draftOf(plan) {
  return {
    revision: plan.revision,
    name: plan.name ?? "",
    overview: plan.overview ?? "",
    plan: asTyped(plan.plan ?? ""),
    todos: (plan.todos ?? []).map(({ id, content = "", dependencies = [] }) => ({ id, content, after: dependencies.join(", ") })),
  };
}

/** The whole content that it stands for, as both vocabularies of the gate take it. */
export function contentOf(draft, base) {
  const todos = draft.todos.filter((todo) => !todo.isRemoved).map(({ id, content, after }) => ({ id, content, dependencies: idsIn(after) }));
  const known = new Map(todos.map((todo) => [todo.id, todo]));
  const added = (name) => draft.todos.filter((todo) => todo.phase === name && !todo.isRemoved).map((todo) => todo.id);
  return {
    name: draft.name,
    overview: draft.overview,
    plan: withLineEnds(draft.plan, base.plan ?? ""),
    todos,
    phases: (base.phases ?? []).map(({ name = "", todos: inside = [] }) => ({
      name,
      todos: [...inside.map((todo) => todo.id), ...added(name)].map((id) => known.get(id)).filter(Boolean),
    })),
    isProject: base.isProject ?? false,
    isSpec: base.isSpec ?? false,
  };
}

function idsIn(text) {
  return text.split(",").map((id) => id.trim()).filter(Boolean);
}

/** A box has line feeds only. */
function asTyped(text) {
  return text.replace(/\r\n?/g, "\n");
}

/** A text that nobody touched is as it was, and one that ended its lines with CR LF goes on to do so. */
function withLineEnds(typed, before) {
  if (typed === asTyped(before)) return before;
  const isCrLf = before.includes("\r\n") && !/(^|[^\r])\n|\r(?!\n)/.test(before);
  return isCrLf ? typed.replaceAll("\n", "\r\n") : typed;
}
