/** The session's mode, and the ways to set another. */

import { mayDecide, onlyLooking } from "../gate/roles.js";
import { button, fill, h, say } from "../ui/dom.js";
import { declineFullAccess, giveFullAccess, giveMode } from "./access.js";
import { section } from "./section.js";
import { MODES, asksForFullAccess, modeOf } from "./words.js";

export function modeSection(now) {
  const place = h("div", { class: "modes", role: "group", "aria-labelledby": "mode-title" });
  const part = section("mode", "Mode", place);
  const buttons = new Map(Object.keys(MODES).map((mode) => [mode, modeButton(mode, () => choose(mode))]));
  fill(place, [...buttons.values()]);

  function choose(mode) {
    if (mayDecide()) part.tries(() => change(now(), mode));
  }

  part.show = (session) => {
    const asks = asksForFullAccess(session) ? "Full access was asked for." : "";
    say(part.sum, mayDecide() ? asks : onlyLooking());
    for (const [mode, each] of buttons) {
      each.setAttribute("aria-pressed", String(mode === modeOf(session)));
      each.setAttribute("aria-disabled", String(!mayDecide()));
    }
  };
  return part;
}

async function change(session, mode) {
  if (mode === "FULL_ACCESS") await giveFullAccess(session);
  else if (mode !== modeOf(session)) await giveMode(session, mode);
  else if (asksForFullAccess(session)) await declineFullAccess(session);
}

function modeButton(mode, choose) {
  const [name, meaning] = MODES[mode];
  return button([h("b", {}, name), h("span", {}, meaning)], choose, { "data-mode": mode, "aria-pressed": "false" });
}
