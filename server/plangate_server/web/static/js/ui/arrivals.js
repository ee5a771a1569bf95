/** Tells that something waits: in the tab's title, to screen readers, and by the browser if it may. */

import { store } from "../gate/store.js";
import { announce } from "./banners.js";
import { say } from "./dom.js";
import { count } from "./words.js";

const told = new Set();

export function startArrivals() {
  store.on(["plans", "prompts", "reset"], look);
  const ask = document.getElementById("notify");
  if (!("Notification" in window)) return;
  ask.hidden = Notification.permission !== "default";
  ask.addEventListener("click", async () => {
    ask.hidden = (await Notification.requestPermission()) !== "default";
  });
}

function look() {
  const waiting = store.count();
  document.title = waiting ? `(${waiting}) Plangate` : "Plangate";
  const badge = document.getElementById("waiting-count");
  badge.hidden = !waiting;
  say(badge, String(waiting));
  if (!store.ready) return;
  const fresh = [...plans(), ...prompts()].filter(({ id }) => !told.has(id));
  const first = told.size === 0;
  for (const { id } of fresh) told.add(id);
  if (first || !fresh.length) return;
  announce(fresh.length === 1 ? fresh[0].words : `${count(fresh.length, "thing")} arrived`);
  if (document.hidden && "Notification" in window && Notification.permission === "granted") {
    for (const { id, words } of fresh.slice(0, 3)) new Notification("Plangate", { body: words, tag: id });
  }
}

function plans() {
  return store.waiting().map((plan) => ({
    id: plan.review.approvalRequestId,
    words: `Waits for review: ${plan.name}, revision ${plan.revision}`,
  }));
}

function prompts() {
  return store.activePrompts().map(({ prompt }) => ({
    id: `${prompt.sessionId} ${prompt.callId}`,
    words: `Waits for a yes: ${prompt.toolName} in session ${prompt.sessionId}`,
  }));
}
