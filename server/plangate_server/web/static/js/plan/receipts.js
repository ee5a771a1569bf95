/** What became of a decision: decided, delivered, acknowledged, being built; and how far the todos are. */

import { fill, h } from "../ui/dom.js";
import { clock } from "../ui/times.js";
import { statesOf } from "./todo_states.js";

const STEPS = [
  ["decideTime", "Decided"],
  ["deliverTime", "Delivered to the agent"],
  ["acknowledgeTime", "Acknowledged by the agent"],
  ["consumeTime", "Being built"],
];

export function receipts() {
  const section = h("section", { class: "receipts", "aria-label": "Receipts" });
  section.show = ({ item: { plan, review } }) => {
    section.hidden = !review.decideTime;
    const builds = ["REVIEW_OUTCOME_APPROVED", "REVIEW_OUTCOME_MODIFIED"].includes(review.outcome);
    const steps = builds ? STEPS : STEPS.slice(0, -1);
    fill(
      section,
      h("h2", {}, "Where it stands"),
      h("ol", { class: "steps" }, steps.map(([field, words]) => step(review[field], words))),
      builds && progress(plan.todos ?? []),
    );
  };
  return section;
}

function step(time, words) {
  return h(
    "li",
    { class: time ? "done" : "open" },
    h("span", {}, words),
    h("span", { class: "at" }, time ? clock(time) : "not yet"),
  );
}

function progress(todos) {
  if (!todos.length) return null;
  const states = [...statesOf(todos).values()];
  const done = states.filter((state) => state === "completed").length;
  const busy = states.filter((state) => state === "in_progress").length;
  return h(
    "p",
    { class: "progress" },
    h("progress", { max: todos.length, value: done, "aria-label": "Todos completed" }),
    `${done} of ${todos.length} todos completed${busy ? `, ${busy} in progress` : ""}`,
  );
}
