/** Answers that are given again without asking, each with its reach in words and a way to forget it. */

import { reachOf } from "../calls/reach.js";
import { again } from "../gate/again.js";
import { every, forgetRemembered, listRemembered, resetMemory } from "../gate/calls.js";
import { mayDecide } from "../gate/roles.js";
import { store } from "../gate/store.js";
import { ask } from "../ui/ask.js";
import { button, fill, h, keyed, say } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { since } from "../ui/times.js";
import { chip, count } from "../ui/words.js";
import { section } from "./section.js";

const EVENTS = new Set(["DECISION_REMEMBERED", "DECISION_FORGOTTEN", "MEMORY_RESET"]);
const OF_SESSION = {
  label: "Forget what is remembered for this session",
  words: [
    "People are asked again about every call of this session, and its full access ends.",
    "What is remembered for every session of the workspace stays.",
  ],
};
const OF_ALL = {
  label: "Forget everything that is remembered",
  words: ["People are asked again about every call of every session of the workspace, and all full access ends."],
};

/** Of one session, with what reaches it from the whole workspace; of all, if none is named. */
export function rememberedList(sessionId) {
  const { label, words } = sessionId ? OF_SESSION : OF_ALL;
  const list = h("ul", { class: "remembered" });
  const reset = button(label, forgetAll, { class: "small bad", hidden: true });
  const part = section("remembered", "Remembered answers", list);
  part.head.append(reset);

  const load = again(async () => {
    const all = await every(listRemembered, { sessionId }, "remembered");
    keyed(list, all, (each) => each.rememberedId, () => rememberedItem(forget));
    const some = `${count(all.length, "answer")}, given again without asking.`;
    say(part.sum, all.length ? some : "None: every call that needs a yes is asked about.");
    reset.hidden = !mayDecide() || !all.some((each) => !sessionId || each.sessionId === sessionId);
  });

  function forget({ rememberedId }) {
    return done(forgetRemembered({ rememberedId }));
  }

  async function forgetAll() {
    if (!(await ask(`${label}?`, words, "Forget it", "bad"))) return;
    await done(resetMemory(sessionId ? { kind: "RESET_KIND_SESSION_RESTART", sessionId } : { kind: "RESET_KIND_WORKSPACE_CHANGE" }));
  }

  function done(write) {
    return part.tries(async () => {
      await write.send();
      await load();
    });
  }

  part.leave = store.on(["event", "ready"], (event, kind) => {
    if (kind === "ready" || EVENTS.has(event.type)) part.tries(load);
  });
  part.tries(load);
  return part;
}

function refused({ refusal }) {
  return h("p", {}, chip("answers nothing", "bad"), " The pattern ", marked(refusal), ".");
}

function rememberedItem(forget) {
  const item = h("li", {});
  item.show = (each) => {
    const yes = each.decision !== "APPROVAL_DECISION_DENIED";
    const by = h("p", { class: "by" }, "By ", h("b", {}, marked(each.reviewer)), ", ", since(each.createTime));
    fill(
      item,
      chip(yes ? "yes" : "no", yes ? "good" : "bad"),
      h("div", {}, h("p", {}, reachOf(each)), each.refusal && refused(each), by),
      mayDecide() && button("Forget", () => forget(each), { class: "small" }),
    );
  };
  return item;
}
