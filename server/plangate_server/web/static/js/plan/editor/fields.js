/** The boxes in which a plan is edited. */

import { h } from "../../ui/dom.js";
import { spelled } from "../../ui/hidden.js";
import { todoRows } from "./todo_rows.js";

/** changed() after each change of the draft that it shows. */
export function editorFields(changed) {
  const name = h("input", { id: "edit-name", autocomplete: "off" });
  const overview = h("textarea", { id: "edit-overview", rows: 2 });
  const plan = h("textarea", { id: "edit-plan", class: "plan-box", spellcheck: "false" });
  const hidden = h("p", { class: "hint", role: "status" });
  const todos = todoRows(changed);
  const boxes = Object.entries({ name, overview, plan });
  const element = h(
    "div",
    { class: "fields" },
    labelled("Name", name),
    labelled("Overview", overview),
    labelled("Text, in Markdown", plan),
    hidden,
    todos,
  );
  let draft = null;
  for (const [field, box] of boxes) {
    box.addEventListener("input", () => {
      draft[field] = box.value;
      changed();
    });
  }

  element.show = (next, base) => {
    draft = next;
    for (const [field, box] of boxes) if (box.value !== draft[field]) box.value = draft[field];
    todos.show(draft, base);
  };
  /** What a box cannot show is said under it. */
  element.tellHidden = () => {
    const isHidden = spelled(draft.plan) !== draft.plan;
    hidden.textContent = isHidden ? "There are characters in the text that nobody sees here; the preview marks them." : "";
  };
  /** The line of the text with the caret. */
  element.line = () => plan.value.slice(0, plan.selectionStart).split("\n").length;
  element.focusText = () => {
    plan.focus();
    plan.setSelectionRange(0, 0);
    plan.scrollTop = 0;
  };
  return element;
}

function labelled(words, box) {
  return h("div", { class: "field" }, h("label", { for: box.id }, words), box);
}
