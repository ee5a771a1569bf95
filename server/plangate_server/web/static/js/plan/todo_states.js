/** How a todo stands: said in words, by a sign, and in the picture by a colour and a shape. */

const STATES = {
  ready: { words: "ready", sign: "▷" },
  blocked: { words: "waits for others", sign: "□" },
  in_progress: { words: "in progress", sign: "◐" },
  completed: { words: "completed", sign: "✓" },
  cancelled: { words: "cancelled", sign: "✕" },
};

export const ALL_STATES = Object.entries(STATES);

export function stateOf(name) {
  return STATES[name];
}

/** By todo id. A cancelled todo lets nothing begin. */
export function statesOf(todos) {
  const status = new Map(todos.map((todo) => [todo.id, short(todo)]));
  const isReady = (todo) => (todo.dependencies ?? []).every((id) => status.get(id) === "completed");
  return new Map(
    todos.map((todo) => {
      const own = status.get(todo.id);
      return [todo.id, own === "pending" ? (isReady(todo) ? "ready" : "blocked") : own];
    }),
  );
}

function short(todo) {
  return (todo.status ?? "").replace("TODO_STATUS_", "").toLowerCase() || "pending";
}
