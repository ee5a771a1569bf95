/** A question that must be read before it is answered. Enter right away answers no. */

import { button, h } from "./dom.js";
import { contentChanged, isSettled, whenSettled } from "./settling.js";

/** True if the person says yes. */
export function ask(title, words, yes, tone = "primary") {
  return new Promise((done) => {
    const dialog = h("dialog", { class: "ask", "aria-labelledby": "ask-title" });
    const agree = button(yes, () => isSettled() && dialog.close("yes"), { class: tone, "aria-disabled": "true" });
    const refuse = button("Leave it as it is", () => dialog.close(""), { autofocus: true });
    dialog.append(
      h("h1", { id: "ask-title" }, title),
      ...words.map((each) => h("p", {}, each)),
      h("div", { class: "buttons" }, refuse, agree),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    contentChanged();
    whenSettled(() => agree.setAttribute("aria-disabled", "false"));
  });
}
