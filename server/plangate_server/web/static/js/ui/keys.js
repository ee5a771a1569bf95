/** Keys of the page that is shown. They are the page's only where nothing else wants them. */

import { h } from "./dom.js";
import { isSettled } from "./settling.js";

const TYPING = "input, textarea, select, [contenteditable], dialog";
const PRESSED_BY_ENTER = "a[href], button, summary, [role=button], [role=tab], [role=link], [data-own-keys]";

let bindings = [];

/** Each has a key, words or what gives them, what to do, and decides: true if it must not happen by mistake. */
export function useKeys(next) {
  bindings = next;
}

export function startKeys() {
  addEventListener("keydown", pressed);
  document.getElementById("keys").addEventListener("click", help);
}

function pressed(event) {
  if (event.defaultPrevented || event.isComposing || hasModifier(event)) return;
  if (document.querySelector("dialog[open], :popover-open") || event.target.closest?.(TYPING)) return;
  if (event.key === "Enter" && event.target.closest?.(PRESSED_BY_ENTER)) return;
  const binding = event.key === "?" ? { act: help } : bindings.find(({ key }) => key === event.key);
  if (!binding) return;
  event.preventDefault();
  if (binding.decides && (event.repeat || !isSettled())) return;
  binding.act();
}

/** Shift counts where the key has a name or is a letter: elsewhere keyboards need it for the sign itself. */
function hasModifier({ ctrlKey, metaKey, altKey, shiftKey, key }) {
  return ctrlKey || metaKey || altKey || (shiftKey && /^\w+$/.test(key));
}

function help() {
  const rows = [...bindings, { key: "?", words: "Show these keys" }].map(({ key, words }) => [
    h("dt", {}, h("kbd", {}, key === "Escape" ? "Esc" : key)),
    h("dd", {}, typeof words === "function" ? words() : words),
  ]);
  const dialog = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h1", { id: "help-title" }, "Keys"),
    h("dl", { class: "keys" }, rows),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
