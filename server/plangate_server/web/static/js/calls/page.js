/** One tool call: as long as people are asked about it, with the choices; afterwards, with what became of it. */

import { callAddress } from "../gate/addresses.js";
import { every, listApprovals } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { between } from "../inbox/between.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { useKeys } from "../ui/keys.js";
import { contentChanged } from "../ui/settling.js";
import { answerPanel } from "./decide.js";
import { callHead } from "./head.js";
import { lastAnswer } from "./last.js";
import { callText } from "./text.js";
import { stateOf } from "./words.js";

const STATES = ["QUEUED", "ACTIVE", "DECIDED", "CANCELLED", "EXPIRED"].map((state) => `APPROVAL_STATE_${state}`);
const ENDED = new Set(["DECIDED", "CANCELLED", "EXPIRED"]);

export function callPage(root, sessionId, callId) {
  const page = { call: null, prompt: null, told: undefined, refresh, take, show };
  const head = callHead();
  const panel = answerPanel(page);
  const queue = lastAnswer();
  const text = h("div");
  const reading = h("div", { class: "reading" }, head, text);
  const side = h("aside", { class: "side", "aria-label": "Decision" }, panel.element, queue);
  const loading = h("p", { class: "loading" }, "Loading");
  fill(root, loading);
  let left = false;

  /** The call as it is by now. One that has ended stays as it ended, whatever is told later. */
  function take(call, prompt = null) {
    if (left || (page.call && ENDED.has(stateOf(page.call)))) return;
    const isFirst = page.call === null;
    page.call = call;
    page.prompt = prompt ?? (stateOf(call) === "ACTIVE" ? page.prompt : null);
    if (isFirst) {
      fill(root, h("div", { class: "plan call" }, reading, side));
      fill(text, callText(call));
      contentChanged();
    }
    show();
  }

  function show() {
    if (!page.call) return;
    head.show(page.call);
    panel.show();
    queue.show(page.told, page.call);
  }

  /** The prompt of the session, if it is this call's; or else whatever the gate knows of the call. */
  async function refresh() {
    page.told = store.prompts.get(sessionId);
    const prompt = page.told?.prompt;
    if (page.call && ENDED.has(stateOf(page.call))) return show();
    if (prompt?.callId === callId) take({ ...prompt, state: "APPROVAL_STATE_ACTIVE" }, prompt);
    else if (store.ready) await lookUp();
    return show();
  }

  function heard(_, kind) {
    if (kind === "ready" || store.prompts.get(sessionId) !== page.told) refresh();
  }

  async function lookUp() {
    const { told } = page;
    if (told) {
      page.prompt = null; // another call is asked about there, or none
      show();
    }
    try {
      const calls = await every(listApprovals, { sessionId, states: STATES }, "approvals");
      if (page.told !== told) return; // this look is old already, and there is a newer one
      const found = calls.find((call) => call.callId === callId);
      if (found) take(found);
      else if (!page.call) tell("This call is not known", `The session ${sessionId} has no call ${callId}.`);
    } catch (error) {
      if (!page.call) tell("This call cannot be shown", error.message);
    }
  }

  function tell(title, words) {
    if (!left) fill(root, h("h1", {}, title), h("p", { class: "problem" }, marked(words)));
  }

  const stops = [
    store.on(["event"], ({ approval }) => {
      if (approval?.sessionId === sessionId && approval.callId === callId && ENDED.has(stateOf(approval))) take(approval);
    }),
    store.on(["prompts", "ready"], heard),
  ];
  useKeys([...panel.bindings, ...between(callAddress({ sessionId, callId }))]);
  refresh();
  return () => {
    left = true;
    stops.forEach((stop) => stop());
    panel.leave();
  };
}
