/** The answer to exactly the prompt that is shown: with its authority token, once. */

import { resolveApproval } from "../gate/calls.js";
import { mayDecide } from "../gate/roles.js";
import { choiceButtons } from "../plan/choices.js";
import { sending } from "../plan/sending.js";
import { fill, h, say } from "../ui/dom.js";
import { isSettled, whenSettled } from "../ui/settling.js";
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

export function answerPanel(page) {
  const title = h("h2", { id: "decide-title", tabindex: "-1" }, "Your decision");
  const why = h("p", { class: "note" });
  const place = h("div", { class: "place" });
  const panel = h("section", { class: "decide", "aria-labelledby": "decide-title" }, title, place, why);
  const choices = choiceButtons(pick);
  let busy = false;
  let remembered = null;
  let offered = "";

  const isOpen = () => Boolean(page.prompt?.authorityToken) && mayDecide();
  const isFree = () => isOpen() && !busy;

  function offers() {
    const { options, canRemember } = page.prompt;
    return canRemember ? options.toSpliced(-1, 0, MORE) : options;
  }

  function pick(value) {
    if (!isFree() || !isSettled() || !offers().some((choice) => choice.value === value)) return;
    if (value === MORE.value) ask(rememberForm(page.prompt, answer, showChoices));
    else if (value === NO) ask(denyForm(page.prompt, answer, showChoices));
    else answer({ decision: value });
  }

  function ask(form) {
    fill(place, form);
    form.querySelector("textarea, input").focus();
  }

  /** One click, one request: the token belongs to the prompt that was on the screen when it was made. True if it arrived. */
  async function answer({ decision, ...more }) {
    if (!isFree() || !isSettled()) return false;
    const { sessionId, callId, authorityToken } = page.prompt;
    const asked = place.firstElementChild;
    busy = true;
    const write = resolveApproval({ sessionId, callId, authorityToken, decision: `APPROVAL_DECISION_${decision}`, ...more });
    const answered = await sending(place, write, decision === NO ? "No" : "Yes");
    busy = false;
    remembered = answered?.remembered ?? null;
    if (answered) page.take(answered.approval);
    else await page.refresh();
    if (isOpen()) fill(place, asked);
    page.show();
    title.focus({ preventScroll: true });
    return Boolean(answered);
  }

  function showChoices() {
    const wasInside = place.contains(document.activeElement);
    fill(place, choices.element);
    enable();
    if (wasInside) document.getElementById("main").focus({ preventScroll: true });
  }

  function enable() {
    choices.enable(isFree() && isSettled());
    if (isFree() && !isSettled()) whenSettled(enable);
  }

  panel.show = () => {
    say(title, isOpen() ? "Your decision" : outcomeTitle(page.call));
    say(why, isOpen() && !page.prompt.canRemember ? ONCE_ONLY : "");
    if (!isOpen()) {
      offered = "";
      if (!busy) fill(place, callOutcome(page.call, page.told, remembered));
    } else if (offered !== page.prompt.authorityToken) {
      offered = page.prompt.authorityToken;
      choices.show(offers());
      showChoices();
    }
    enable();
  };
  panel.keys = [
    { key: "Enter", words: "Yes, this once", decides: true, act: () => pick(YES) },
    { key: "s", words: "Yes, and the same for the rest of the session", decides: true, act: () => pick(FOR_SESSION) },
    { key: "m", words: "Choose what to remember", decides: true, act: () => pick(MORE.value) },
    { key: "Escape", words: "No, with words", decides: true, act: () => pick(NO) },
  ];
  panel.leave = () => {
    busy = true;
  };
  return panel;
}
