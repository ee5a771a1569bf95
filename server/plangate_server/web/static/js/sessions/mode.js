/** The session's mode, and the ways to set another. */

import { mayDecide, onlyLooking } from "../gate/roles.js";
import { button, fill, h, say } from "../ui/dom.js";
import { declineFullAccess, giveFullAccess, giveMode } from "./access.js";
import { MODES, asksForFullAccess, modeOf } from "./words.js";

export function modeSection(now) {
  const place = h("div", { class: "modes", role: "group", "aria-labelledby": "mode-title" });
  const note = h("p", { class: "sum" });
  const problem = h("p", { class: "problem", role: "alert" });
  const section = h("section", { "aria-labelledby": "mode-title" }, h("div", { class: "section-head" }, h("h2", { id: "mode-title" }, "Mode"), note), problem, place);
  const buttons = new Map(Object.keys(MODES).map((mode) => [mode, modeButton(mode, () => choose(mode))]));
  fill(place, [...buttons.values()]);

  async function choose(mode) {
    if (!mayDecide()) return;
    say(problem, "");
    try {
      if (mode === "FULL_ACCESS") await giveFullAccess(now());
      else if (mode !== modeOf(now())) await giveMode(now(), mode);
      else if (asksForFullAccess(now())) await declineFullAccess(now());
    } catch (error) {
      say(problem, error.message);
    }
  }

  section.show = (session) => {
    say(note, mayDecide() ? (asksForFullAccess(session) ? "The agent asks for full access." : "") : onlyLooking());
    for (const [mode, each] of buttons) {
      each.setAttribute("aria-pressed", String(mode === modeOf(session)));
      each.setAttribute("aria-disabled", String(!mayDecide()));
    }
  };
  return section;
}

function modeButton(mode, choose) {
  const [name, meaning] = MODES[mode];
  return button([h("b", {}, name), h("span", {}, meaning)], choose, { "data-mode": mode, "aria-pressed": "false" });
}
