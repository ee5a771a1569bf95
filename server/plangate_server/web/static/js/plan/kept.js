/** What somebody has typed and not sent yet: still there when they come back to it, also after a reload, and theirs alone. */

import { store } from "../gate/store.js";

const PLACE = "plangate-kept ";
const texts = new Map();

export function keptText(name) {
  return texts.get(placeOf(name)) ?? sessionStorage.getItem(placeOf(name));
}

export function keepText(name, text) {
  const place = placeOf(name);
  texts.set(place, text);
  try {
    sessionStorage.setItem(place, text);
  } catch {
    sessionStorage.removeItem(place); // full: then it lasts as long as the page does
  }
}

export function dropText(name) {
  texts.delete(placeOf(name));
  sessionStorage.removeItem(placeOf(name));
}

/** Of whoever typed in this tab: nothing stays behind when they sign out. */
export function dropEveryText() {
  texts.clear();
  for (const place of Object.keys(sessionStorage)) if (place.startsWith(PLACE)) sessionStorage.removeItem(place);
}

/** Begin with what was typed here before, and keep what is typed now until it is dropped. */
export function kept(name, area) {
  area.value = keptText(name) ?? area.value;
  area.addEventListener("input", () => keepText(name, area.value));
  return { drop: () => dropText(name) };
}

function placeOf(name) {
  const { workspace, person } = store.me;
  return PLACE + JSON.stringify([workspace, person, name]);
}
