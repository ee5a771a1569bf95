/** What must be seen wherever one is: above every page, one line each. */

import { h } from "./dom.js";
import { contentChanged } from "./settling.js";

/** Show this line under its name, in place of the one that had it; nothing takes it away. It moves what is below. */
export function banner(name, tone, ...words) {
  const place = document.getElementById("banners");
  const old = place.querySelector(`[data-banner="${CSS.escape(name)}"]`);
  if (!words.length && !old) return;
  contentChanged();
  if (!words.length) {
    old.remove();
    return;
  }
  const line = h("div", { class: `banner ${tone}`, role: "alert", "data-banner": name }, words);
  if (old) old.replaceWith(line);
  else place.append(line);
}

/** For those who do not see what has just arrived. */
export function announce(words) {
  document.getElementById("said").textContent = words;
}
