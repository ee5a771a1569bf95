/** What somebody has typed and not sent yet: still there when they come back to it. */

const texts = new Map();

/** Begin with what was typed here before, and keep what is typed now until it is dropped. */
export function kept(name, area) {
  area.value = texts.get(name) ?? area.value;
  area.addEventListener("input", () => texts.set(name, area.value));
  return { drop: () => texts.delete(name) };
}
