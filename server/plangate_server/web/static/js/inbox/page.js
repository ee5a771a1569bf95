/** What waits for people, across all sessions, whoever waits longest first. */

import { store } from "../gate/store.js";
import { fill, h, keyed, say } from "../ui/dom.js";
import { useKeys } from "../ui/keys.js";
import { count } from "../ui/words.js";
import { emptyInbox } from "./empty.js";
import { planRow } from "./row.js";

export function inboxPage(root) {
  const title = h("h1", {}, "Inbox");
  const sum = h("p", { class: "sum" });
  const filter = h("input", {
    type: "search",
    placeholder: "Filter by name, goal, agent or session",
    "aria-label": "Filter plans",
    on: { input: show },
  });
  const rows = h("ol", { class: "rows", "aria-label": "Plans that wait for review" });
  const drafts = h("ol", { class: "rows" });
  const writing = h("section", { hidden: true }, h("h2", {}, "Being written"), drafts);
  const nothing = h("div", { class: "nothing" });
  fill(root, h("div", { class: "page-head" }, title, sum, filter), nothing, rows, writing);

  function show() {
    const waiting = store.waiting();
    const matching = waiting.filter((plan) => matches(plan, filter.value));
    keyed(rows, matching, (plan) => plan.planUri, planRow);
    keyed(drafts, store.drafts(), (plan) => plan.planUri, planRow);
    writing.hidden = !drafts.children.length;
    filter.hidden = waiting.length < 2 && !filter.value;
    say(sum, store.ready ? sumOf(waiting.length, matching.length) : "Loading");
    if (!store.ready || waiting.length) fill(nothing);
    else if (!nothing.children.length) fill(nothing, emptyInbox());
  }

  function move(step) {
    const links = [...rows.querySelectorAll("a.row")];
    const at = links.indexOf(document.activeElement);
    links[at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  }

  useKeys([
    { key: "j", words: "Next plan", act: () => move(1) },
    { key: "k", words: "Plan before", act: () => move(-1) },
    { key: "Enter", words: "Open the plan", act: () => rows.querySelector("a.row")?.click() },
    { key: "/", words: "Filter", act: () => filter.focus() },
  ]);
  show();
  return store.on(["plans", "reset", "ready"], show);
}

function matches(plan, words) {
  const text = [plan.name, plan.overview, plan.createdBy, plan.sessionId].join("\n").toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function sumOf(waiting, matching) {
  if (!waiting) return "Nothing waits for you.";
  const all = `${count(waiting, "plan")} ${waiting === 1 ? "waits" : "wait"} for review`;
  return matching === waiting ? `${all}.` : `${matching} of ${all}.`;
}
