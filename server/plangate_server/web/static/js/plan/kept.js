/** What somebody has typed and not sent yet: still there when they come back to it, also after a reload. */

const PLACE = "plangate-kept ";
const texts = new Map();

export function keptText(name) {
  return texts.get(name) ?? sessionStorage.getItem(PLACE + name);
}

export function keepText(name, text) {
  texts.set(name, text);
  try {
    sessionStorage.setItem(PLACE + name, text);
  } catch {
    sessionStorage.removeItem(PLACE + name); // full: then it lasts as long as the page does
  }
}

export function dropText(name) {
  texts.delete(name);
  sessionStorage.removeItem(PLACE + name);
}

/** Begin with what was typed here before, and keep what is typed now until it is dropped. */
export function kept(name, area) {
  area.value = keptText(name) ?? area.value;
  area.addEventListener("input", () => keepText(name, area.value));
  return { drop: () => dropText(name) };
}
