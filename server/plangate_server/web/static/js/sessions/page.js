/** One session: what it may do, where it stands, its plans, its tool calls, and what is remembered for it. */

import { lastLine } from "../calls/last.js";
import { getSession } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { fill, h } from "../ui/dom.js";
import { fact } from "../ui/facts.js";
import { marked } from "../ui/hidden.js";
import { useKeys } from "../ui/keys.js";
import { go } from "../ui/router.js";
import { rowKeys } from "../ui/rows.js";
import { clock, since } from "../ui/times.js";
import { chip, count } from "../ui/words.js";
import { sessionCalls } from "./calls.js";
import { machine } from "./machine.js";
import { modeSection } from "./mode.js";
import { sessionPlans } from "./plans.js";
import { rememberedList } from "./remembered.js";
import { asksForFullAccess, modeChip, sendWords } from "./words.js";

export function sessionPage(root, sessionId) {
  const now = () => store.sessions.get(sessionId);
  const head = h("header", { class: "plan-head" });
  const mode = modeSection(now);
  const state = machine();
  const lists = [sessionPlans(sessionId), sessionCalls(sessionId), rememberedList(sessionId)];
  const page = h("div", { class: "session", hidden: true }, head, state, mode, lists);
  const loading = h("p", { class: "loading" }, "Loading");
  fill(root, loading, page);

  function show() {
    const session = now();
    if (!session) return;
    loading.remove();
    page.hidden = false;
    fill(head, headOf(session));
    state.show(session);
    mode.show(session);
  }

  async function load() {
    try {
      store.keepSession((await getSession({ sessionId })).session);
    } catch (error) {
      if (!now()) fill(root, h("h1", {}, "This session cannot be shown"), h("p", { class: "problem" }, error.message));
    }
  }

  useKeys([...rowKeys(page, "plan or tool call"), { key: "u", words: "Up to the sessions", act: () => go("/sessions") }]);
  const stops = [store.on(["sessions"], show), store.on(["ready"], load), ...lists.map((list) => list.leave)];
  show();
  load();
  return () => stops.forEach((stop) => stop());
}

function headOf(session) {
  const waiting = session.queueLength ?? 0;
  return [
    h(
      "div",
      { class: "above" },
      modeChip(session),
      asksForFullAccess(session) && chip("asks for full access", "waits"),
      session.waitingForPlanApproval && chip("a plan waits for review", "waits"),
      waiting > 0 && chip(`${count(waiting, "tool call")} ${waiting === 1 ? "waits" : "wait"}`, "waits"),
    ),
    h("h1", {}, "Session ", marked(session.sessionId)),
    session.lastDecision && lastLine(session.lastDecision),
    h("dl", { class: "facts" }, [
      fact("began", clock(session.createTime)),
      fact("changed", since(session.updateTime)),
      fact("messages", sendWords(session)),
    ]),
  ];
}
