/** Who may do more than look. The gate refuses all others anyway; the page says so beforehand. */

import { lower } from "../ui/words.js";
import { store } from "./store.js";

const DECIDERS = new Set(["ROLE_REVIEWER", "ROLE_ADMIN"]);

export function mayDecide() {
  return DECIDERS.has(store.me.role);
}

/** "You are signed in as observer: you can look, and a reviewer decides." */
export function onlyLooking() {
  return `You are signed in as ${lower(store.me.role, "ROLE")}: you can look, and a reviewer decides.`;
}

export function isAgent() {
  return store.me.role === "ROLE_AGENT";
}
