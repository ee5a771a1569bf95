/** The choices that the gate offers, as buttons with their keys; `sign` gives what else stands on the one for a value. */

import { fill, h } from "../ui/dom.js";

const TONES = {
  approve: "primary good",
  rejectAndTellWhatToDoDifferently: "bad",
  APPROVED: "primary good",
  DENIED: "bad",
};

export function choiceButtons(pick, sign) {
  const element = h("div", { class: "choices" });
  let shown = "";
  return {
    element,
    show(choices) {
      if (JSON.stringify(choices) === shown) return;
      shown = JSON.stringify(choices);
      fill(element, choices.map((choice) => choiceButton(choice, pick, sign)));
    },
  };
}

function choiceButton({ label, sublabel, description, value }, pick, sign) {
  return h(
    "button",
    {
      type: "button",
      class: `choice ${TONES[value] ?? ""}`,
      title: description,
      "data-choice": value,
      "data-decides": true,
      on: { click: () => pick(value) },
    },
    h("span", { class: "label" }, label, " ", sign?.(value)),
    sublabel && h("kbd", {}, sublabel),
  );
}
