/** Answers that are given again without asking, each with its reach in words and a way to forget it. */

import { reachOf } from "../calls/reach.js";
import { every, forgetRemembered, listRemembered, resetMemory } from "../gate/calls.js";
import { mayDecide } from "../gate/roles.js";
import { store } from "../gate/store.js";
import { ask } from "../ui/ask.js";
import { button, fill, h, keyed, say } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { since } from "../ui/times.js";
import { chip, count } from "../ui/words.js";

const EVENTS = new Set(["DECISION_REMEMBERED", "DECISION_FORGOTTEN", "MEMORY_RESET"]);

/** Of one session, with what reaches it from the whole workspace; of all, if none is named. */
export function rememberedList(sessionId) {
  const list = h("ul", { class: "remembered" });
  const sum = h("p", { class: "sum" }, "Loading");
  const problem = h("p", { class: "problem", role: "alert" });
  const reset = button(sessionId ? "Forget what is remembered for this session" : "Forget all of it", forgetAll, { class: "small bad", hidden: true });
  const title = h("h2", { id: "remembered-title" }, "Remembered answers");
  const section = h("section", { "aria-labelledby": "remembered-title" }, h("div", { class: "section-head" }, title, sum, reset), problem, list);

  async function show() {
    try {
      const all = await every(listRemembered, { sessionId }, "remembered");
      keyed(list, all, (each) => each.rememberedId, () => rememberedItem(forget));
      say(sum, all.length ? `${count(all.length, "answer")}, given again without asking.` : "Nothing is remembered: every call that needs a yes is asked about.");
      reset.hidden = !mayDecide() || !all.some((each) => !sessionId || each.sessionId === sessionId);
      say(problem, "");
    } catch (error) {
      say(sum, "");
      say(problem, error.message);
    }
  }

  async function done(write) {
    try {
      await write.send();
    } catch (error) {
      say(problem, error.message);
    }
    await show();
  }

  function forget({ rememberedId }) {
    return done(forgetRemembered({ rememberedId }));
  }

  async function forgetAll() {
    const words = sessionId
      ? ["People are asked again about every call of this session, and its full access ends.", "What is remembered for every session of the workspace stays."]
      : ["People are asked again about every call of every session of the workspace, and all full access ends."];
    if (!(await ask(sessionId ? "Forget what is remembered for this session?" : "Forget everything that is remembered?", words, "Forget it", "bad"))) return;
    await done(resetMemory(sessionId ? { kind: "RESET_KIND_SESSION_RESTART", sessionId } : { kind: "RESET_KIND_WORKSPACE_CHANGE" }));
  }

  section.leave = store.on(["event", "ready"], (event, kind) => (kind === "ready" || EVENTS.has(event.type)) && show());
  show();
  return section;
}

function rememberedItem(forget) {
  const item = h("li", {});
  item.show = (each) => {
    const yes = each.decision !== "APPROVAL_DECISION_DENIED";
    fill(
      item,
      chip(yes ? "yes" : "no", yes ? "good" : "bad"),
      h("div", {}, h("p", {}, reachOf(each)), h("p", { class: "by" }, "By ", h("b", {}, marked(each.reviewer)), ", ", since(each.createTime))),
      mayDecide() && button("Forget", () => forget(each), { class: "small" }),
    );
  };
  return item;
}
