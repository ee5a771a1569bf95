/** A click on its way to the gate: what became of it is said, and sending it again does nothing twice. */

import { passes } from "../gate/calls.js";
import { button, fill, h } from "../ui/dom.js";

/** The gate's answer; null once the person has read why there is none. */
export async function sending(place, write, what) {
  for (;;) {
    fill(place, h("p", { class: "loading", role: "status" }, "Sending"));
    try {
      return await write.send();
    } catch (error) {
      const again = await told(place, error, what);
      if (!again) return null;
    }
  }
}

function told(place, error, what) {
  return new Promise((done) => {
    const again = passes(error) && button("Send the same again", () => done(true), { class: "primary" });
    const close = button(again ? "Leave it" : "OK", () => done(false));
    const words = passes(error) ? `${error.message} Whether “${what}” was recorded is not known.` : error.message;
    fill(
      place,
      h("div", { class: "problem", role: "alert" }, h("p", {}, words), h("div", { class: "buttons" }, again, close)),
    );
    (again || close).focus();
  });
}
