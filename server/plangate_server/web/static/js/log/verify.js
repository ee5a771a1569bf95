/** The check of the hash chain, and what it found, in words. */

import { verifyAudit } from "../gate/calls.js";
import { button, fill, h } from "../ui/dom.js";
import { clock } from "../ui/times.js";
import { count } from "../ui/words.js";

export function verifyPanel() {
  const result = h("div", { class: "verdict", role: "status" });
  const press = button("Verify the chain", check);
  let busy = false;

  async function check() {
    if (busy) return;
    busy = true;
    press.setAttribute("aria-disabled", "true");
    fill(result, h("p", { class: "loading" }, "Following every hash from the first entry on"));
    try {
      fill(result, verdict(await verifyAudit()));
    } catch (error) {
      fill(result, h("p", { class: "problem" }, `The chain was not checked: ${error.message}`));
    }
    busy = false;
    press.setAttribute("aria-disabled", "false");
  }
  return { press, result };
}

function verdict({ valid, checked = "0", headSequence = "0", headHash = "", firstBadSequence, problem, checkTime }) {
  if (!valid) {
    return h(
      "div",
      { class: "verdict-box bad" },
      h("p", {}, h("b", {}, "The log does not hold: "), `${problem || `entry ${firstBadSequence} is not as it was`}.`),
      h("p", {}, "Somebody has changed the database. Keep it as it is, and compare it with a copy that plangate audit export made."),
    );
  }
  if (!Number(checked)) return h("div", { class: "verdict-box good" }, h("p", {}, "The log is empty: there is nothing to check."));
  return h(
    "div",
    { class: "verdict-box good" },
    h("p", {}, h("b", {}, "The log holds. "), `Every hash of ${count(checked, "entry", "entries")} was followed at ${clock(checkTime)}: none was altered, removed or moved.`),
    h("p", {}, "Head ", h("code", {}, `${headSequence}:${headHash}`), ". Keep it elsewhere: only with it can a log that was cut off at its end be found out."),
  );
}
