/** Before there is a page: what could not be done is said, and tried again when the person says so. */

import { button, fill, h, say } from "./dom.js";

export async function tried(begin) {
  const main = document.getElementById("main");
  const line = document.getElementById("line");
  for (;;) {
    say(line, "Connecting");
    try {
      await begin();
      fill(main);
      return;
    } catch (error) {
      say(line, "Not connected");
      await asked(main, error);
    }
  }
}

function asked(main, error) {
  return new Promise((again) => {
    fill(
      main,
      h("h1", {}, "The page could not begin"),
      h("p", { class: "problem", role: "alert" }, `The gate did not say who you are: ${error.message}`),
      h("div", { class: "buttons" }, button("Try again", again)),
    );
  });
}
