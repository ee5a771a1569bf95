/** Todos in waves: those of a wave depend only on those of earlier ones. */

export function wavesOf(todos) {
  const byId = new Map(todos.map((todo) => [todo.id, todo]));
  const depth = new Map();
  for (const todo of todos) measure(todo);

  /** Deeper dependencies first, without recursion: a chain may be long. */
  function measure(first) {
    const open = [first];
    while (open.length) {
      const todo = open.at(-1);
      const needs = (todo.dependencies ?? []).map((id) => byId.get(id)).filter(Boolean);
      const next = needs.find((need) => !depth.has(need.id));
      if (next) open.push(next);
      else depth.set(open.pop().id, Math.max(-1, ...needs.map((need) => depth.get(need.id))) + 1);
    }
  }

  const waves = [];
  for (const todo of todos) (waves[depth.get(todo.id)] ??= []).push(todo);
  return waves;
}
