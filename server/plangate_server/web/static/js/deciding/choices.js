/** The choices that the gate offers, as buttons with their keys. */

import { fill, h } from "../ui/dom.js";

const TONES = {
  approve: "primary good",
  rejectAndTellWhatToDoDifferently: "bad",
  APPROVED: "primary good",
  DENIED: "bad",
};

/**
 * Buttons that may not be pressed stay in place and keep the focus: one that vanished would hand the focus, and
 * with it the next Enter, to the page.
 */
export function choiceButtons(pick) {
  const element = h("div", { class: "choices" });
  let shown = "";
  return {
    element,
    show(choices) {
      if (JSON.stringify(choices) === shown) return;
      shown = JSON.stringify(choices);
      fill(element, choices.map((choice) => choiceButton(choice, pick)));
    },
    enable(free) {
      for (const each of element.children) each.setAttribute("aria-disabled", String(!free));
    },
  };
}

function choiceButton({ label, sublabel, description, value }, pick) {
  return h(
    "button",
    {
      type: "button",
      class: `choice ${TONES[value] ?? ""}`,
      title: description,
      "data-choice": value,
      "aria-disabled": "true",
      on: { click: (event) => event.currentTarget.getAttribute("aria-disabled") === "false" && pick(value) },
    },
    h("span", { class: "label" }, label),
    sublabel && h("kbd", {}, sublabel),
  );
}
