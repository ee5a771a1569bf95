/** Everything that happened to the plan, oldest first. */

import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { clock } from "../ui/times.js";
import { lower } from "../ui/words.js";

export function timeline() {
  const list = h("ol", { class: "timeline" });
  const section = h("section", { "aria-labelledby": "timeline-title" }, h("h2", { id: "timeline-title" }, "Time line"), list);
  section.show = ({ events }) => {
    section.hidden = !events.length;
    fill(list, events.map(entry));
  };
  return section;
}

function entry(event) {
  return h(
    "li",
    {},
    h("time", { datetime: event.eventTime }, clock(event.eventTime)),
    h("span", { class: "what" }, lower(event.type, "REVIEW_EVENT_TYPE"), " ", h("b", {}, marked(event.actor ?? ""))),
    said(event) && h("span", { class: "words" }, marked(said(event))),
  );
}

/** What somebody said with it, or what it was about. */
export function said(event) {
  if (event.comment) return event.comment.text;
  if (event.message) return event.message;
  if (event.refused) return `${event.refused.selectedOption || event.refused.method}: ${event.refused.reason}`;
  if (event.approval) return event.approval.command;
  const todos = event.todos ?? [];
  return todos.map((todo) => `${todo.id}: ${lower(todo.status, "TODO_STATUS")}`).join(", ");
}
