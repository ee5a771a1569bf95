/** Tells that something waits: in the tab's title, to screen readers, and by the browser if it may. */

import { callAddress, planAddress } from "../gate/addresses.js";
import { store } from "../gate/store.js";
import { announce, banner } from "./banners.js";
import { button, say } from "./dom.js";
import { spelled } from "./hidden.js";
import { go } from "./router.js";
import { count } from "./words.js";

const AT_ONCE = 3;

let told = new Set();
let isBegun = false;

export function startArrivals() {
  store.on(["plans", "prompts", "reset"], look);
  const ask = document.getElementById("notify");
  if (!("Notification" in window)) return;
  ask.hidden = Notification.permission !== "default";
  ask.addEventListener("click", async () => answered(ask, await Notification.requestPermission()));
}

function answered(ask, permission) {
  ask.hidden = permission !== "default";
  if (permission === "granted") announce("The browser tells you when something waits.");
  if (permission !== "denied") return;
  const close = button("OK", () => banner("notify"), { class: "small" });
  banner("notify", "waits", "This browser does not let the page notify you: its settings for this site say so.", close);
}

/** What happened by oneself is no news. */
function look(event) {
  const waiting = store.count();
  document.title = waiting ? `(${waiting}) Plangate` : "Plangate";
  const badge = document.getElementById("waiting-count");
  badge.hidden = !waiting;
  say(badge, String(waiting));
  if (!store.ready) return;
  const all = [...plans(), ...prompts()];
  const fresh = all.filter(({ id }) => !told.has(id));
  told = new Set(all.map(({ id }) => id));
  if (isBegun && fresh.length && event?.actor !== store.me.name) tell(fresh);
  isBegun = true;
}

function tell(fresh) {
  announce(fresh.length === 1 ? fresh[0].words : `${count(fresh.length, "thing")} arrived`);
  const isAway = document.hidden || !document.hasFocus();
  if (isAway && "Notification" in window && Notification.permission === "granted") fresh.slice(0, AT_ONCE).forEach(notify);
}

function notify({ id, words, path }) {
  try {
    const shown = new Notification("Plangate", { body: words, tag: id });
    shown.addEventListener("click", () => {
      window.focus();
      go(path);
      shown.close();
    });
  } catch (error) {
    // Browsers of phones have the name and not the thing; the title counts there, too.
    if (!(error instanceof TypeError)) throw error;
  }
}

function plans() {
  return store.waiting().map((plan) => ({
    id: plan.review.approvalRequestId,
    words: `Waits for review: ${spelled(plan.name || "Untitled")}, revision ${plan.revision}`,
    path: planAddress(plan.planUri),
  }));
}

function prompts() {
  return store.activePrompts().map(({ prompt }) => ({
    id: `${prompt.sessionId} ${prompt.callId}`,
    words: `Waits for a yes: ${spelled(prompt.toolName)} in session ${spelled(prompt.sessionId)}`,
    path: callAddress(prompt),
  }));
}
