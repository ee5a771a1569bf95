/** An answer for more than one call: which, where and how long, with its reach in words before it is given. */

import { wordsBox } from "../deciding/words_box.js";
import { button, fill, h } from "../ui/dom.js";
import { reachOf } from "./reach.js";
import { NO, YES, kindOf } from "./words.js";

const HOURS = [
  ["", "until somebody forgets it"],
  ["1", "for 1 hour"],
  ["8", "for 8 hours"],
  ["24", "for 1 day"],
  ["168", "for 7 days"],
  ["720", "for 30 days"],
];

export function rememberForm(prompt, send, back) {
  const isCommand = kindOf(prompt) === "command";
  const answers = radios("answer", "Answer", [[YES, "Yes"], [NO, "No"]]);
  // Calls like it could run anything, unless the gate suggests a pattern: then it takes one, too.
  const alike = prompt.suggestedPattern ? [["like", isCommand ? "calls like it" : "any call of the tool"]] : [];
  const what = radios("what", "To", [["exact", "this very call"], ...alike]);
  const scope = radios("scope", "Where", [["SESSION", "in this session"], ["WORKSPACE", "in every session of the workspace"]]);
  const hours = h("select", { id: "how-long" }, HOURS.map(([value, words]) => h("option", { value }, words)));
  const plain = { spellcheck: "false", autocomplete: "off", class: "mono" };
  const pattern = h("input", { id: "pattern", value: prompt.suggestedPattern, ...plain });
  const like = h("p", { class: "pattern" }, h("label", { for: "pattern" }, "Like: * for any one word, ** for the rest"), pattern);
  const box = wordsBox("What should the agent do instead?", submit, back);
  const reach = h("p", { class: "reach", role: "status" });
  const yes = button("", submit, { class: "primary", "data-decides": true });

  function remember() {
    const wanted = { scope: `REMEMBER_SCOPE_${scope.value()}` };
    if (what.value() === "like") wanted.pattern = isCommand ? pattern.value : "*";
    if (hours.value) wanted.expiresAfter = `${Number(hours.value) * 3600}s`;
    return wanted;
  }

  function submit() {
    const decision = answers.value();
    send({ decision, remember: remember(), feedbackText: decision === NO ? box.area.value.trim() : "" });
  }

  function show() {
    const wanted = remember();
    const until = hours.value && new Date(Date.now() + Number(hours.value) * 3_600_000).toISOString();
    like.hidden = what.value() !== "like" || !isCommand;
    box.element.hidden = answers.value() === YES;
    fill(
      reach,
      reachOf({
        ...prompt,
        decision: `APPROVAL_DECISION_${answers.value()}`,
        signature: wanted.pattern ?? prompt.command,
        isPattern: Boolean(wanted.pattern),
        scope: wanted.scope,
        expireTime: until,
      }),
    );
    fill(yes, answers.value() === YES ? "Yes, and remember it" : "No, and remember it");
  }

  const form = h(
    "div",
    { class: "words-form remember", "data-own-keys": true, on: { input: show, keydown: leave } },
    answers,
    what,
    like,
    scope,
    h("p", {}, h("label", { for: "how-long" }, "How long "), hours),
    box.element,
    reach,
    h("div", { class: "buttons" }, yes, button(["Back ", h("kbd", {}, "Esc")], back)),
  );

  function leave(event) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    back();
  }
  show();
  return form;
}

function radios(name, legend, options) {
  const set = h(
    "fieldset",
    {},
    h("legend", {}, legend),
    options.map(([value, words], index) => h("label", {}, h("input", { type: "radio", name, value, checked: index === 0 }), words)),
  );
  set.value = () => set.querySelector("input:checked").value;
  return set;
}
