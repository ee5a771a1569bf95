/** What waits for people, across all sessions, whoever waits longest first. */

import { promptRow, wordsOf } from "../calls/row.js";
import { isAgent } from "../gate/roles.js";
import { store } from "../gate/store.js";
import { authorWords } from "../ui/authors.js";
import { fill, h, keyed, say } from "../ui/dom.js";
import { useKeys } from "../ui/keys.js";
import { rowKeys } from "../ui/rows.js";
import { count } from "../ui/words.js";
import { keyOf } from "./between.js";
import { emptyInbox } from "./empty.js";
import { planRow } from "./row.js";

export function inboxPage(root) {
  const title = h("h1", {}, "Inbox");
  const sum = h("p", { class: "sum" });
  const filter = h("input", {
    type: "search",
    placeholder: "Filter by name, command, goal, agent or session",
    "aria-label": "Filter plans and tool calls",
    on: { input: show },
  });
  const rows = h("ol", { class: "rows", "aria-label": "Plans and tool calls that wait" });
  const drafts = h("ol", { class: "rows" });
  const writing = h("section", { hidden: true }, h("h2", {}, "Being written"), drafts);
  const nothing = h("div", { class: "nothing" });
  fill(root, h("div", { class: "page-head" }, title, sum, filter), nothing, rows, writing);

  function show() {
    const waiting = store.everyWaiting();
    const matching = waiting.filter((one) => matches(one, filter.value));
    keyed(rows, matching, keyOf, waitingRow);
    keyed(drafts, store.drafts(), (plan) => plan.planUri, planRow);
    writing.hidden = !drafts.children.length;
    filter.hidden = waiting.length < 2 && !filter.value;
    say(sum, store.ready ? sumOf(waiting, matching.length) : isAgent() ? "Reviewers see here what waits." : "Loading");
    if (!store.ready || waiting.length) fill(nothing);
    else if (!nothing.children.length) fill(nothing, emptyInbox());
  }

  useKeys([...rowKeys(rows, "plan or tool call"), { key: "/", words: "Filter", act: () => filter.focus() }]);
  show();
  return store.on(["plans", "prompts", "reset", "ready"], show);
}

function waitingRow({ plan }) {
  const row = plan ? planRow() : promptRow();
  const show = row.show;
  row.show = (one) => show(one.plan ?? one.told);
  return row;
}

function matches({ plan, told }, words) {
  const text = plan ? [plan.name, plan.overview, plan.createdBy, authorWords(plan.review ?? {}), plan.sessionId].join("\n") : wordsOf(told);
  return words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
}

function sumOf(waiting, matching) {
  if (!waiting.length) return "";
  const plans = waiting.filter(({ plan }) => plan).length;
  const calls = waiting.length - plans;
  const parts = [plans && count(plans, "plan"), calls && count(calls, "tool call")].filter(Boolean).join(" and ");
  const all = `${parts} ${waiting.length === 1 ? "waits" : "wait"} for ${plans && !calls ? "review" : "you"}`;
  return matching === waiting.length ? `${all}.` : `${all}; ${matching} shown.`;
}
