/** The answer to exactly the prompt that is shown: with its authority token, once. */

import { DecidingPanel } from "../deciding/panel.js";
import { resolveApproval } from "../gate/calls.js";
import { mayDecide } from "../gate/roles.js";
import { h, say } from "../ui/dom.js";
import { denyForm } from "./deny_form.js";
import { callOutcome, outcomeTitle } from "./outcome.js";
import { rememberForm } from "./remember_form.js";
import { FOR_SESSION, NO, YES } from "./words.js";

const MORE = {
  label: "Choose what to remember",
  sublabel: "m",
  description: "Yes or no to calls like it, everywhere, or for a while.",
  value: "remember",
};
const ONCE_ONLY = "The answer holds this once: the call has more than one part, or some program could read it in another way.";

const KEYS = [
  ["Enter", "Yes, this once", YES],
  ["s", "Yes, and the same for the rest of the session", FOR_SESSION],
  ["m", "Choose what to remember", MORE.value],
  ["Escape", "No, with words", NO],
];

export function answerPanel(page) {
  const note = h("p", { class: "note" });
  let remembered = null;
  const isOpen = () => Boolean(page.prompt?.authorityToken) && mayDecide();
  const panel = new DecidingPanel({
    subject: () => page.prompt.authorityToken,
    isOpen,
    options: () => (page.prompt.canRemember ? page.prompt.options.toSpliced(-1, 0, MORE) : page.prompt.options),
    title: () => outcomeTitle(page.call),
    outcome: () => callOutcome(page.call, page.told, remembered),
    pick,
  });
  panel.element.append(note);

  function pick(value) {
    const back = () => panel.showChoices();
    if (value === MORE.value) panel.ask(rememberForm(page.prompt, answer, back));
    else if (value === NO) panel.ask(denyForm(page.prompt, answer, back));
    else answer({ decision: value });
  }

  /** The token belongs to the prompt that was on the screen when it was made. */
  async function answer({ decision, ...more }) {
    if (!panel.isFree) return false;
    const { sessionId, callId, authorityToken } = page.prompt;
    const write = resolveApproval({ sessionId, callId, authorityToken, decision: `APPROVAL_DECISION_${decision}`, ...more });
    return panel.send(write, decision === NO ? "No" : "Yes", async (answered) => {
      remembered = answered?.remembered ?? null;
      if (answered) page.take(answered.approval);
      else await page.refresh();
      page.show();
    });
  }

  function show() {
    say(note, isOpen() && !page.prompt.canRemember ? ONCE_ONLY : "");
    panel.show();
  }
  return { element: panel.element, show, bindings: panel.keys(KEYS), leave: () => panel.leave() };
}
