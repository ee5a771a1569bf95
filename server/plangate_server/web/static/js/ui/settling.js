/** A moment of calm after what is under the eyes has changed: nobody decides about what they have not seen. */

export const CALM = 400;

let changedAt = 0;
const listeners = new Set();

/** Whatever is shown anew, or moves what is shown, says so. */
export function contentChanged() {
  changedAt = performance.now();
  for (const listener of listeners) listener();
}

/** Call back at each change, until the function that this gives is called. */
export function onContentChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isSettled() {
  return performance.now() - changedAt >= CALM;
}

/** Call back when it is calm, unless that was true already. */
export function whenSettled(callback) {
  const left = CALM - (performance.now() - changedAt);
  if (left <= 0) callback();
  else setTimeout(() => whenSettled(callback), Math.ceil(left));
}

/** Whatever had the focus goes. The page has it next, where Enter is a yes: not for who pressed it twice. */
export function focusPage() {
  contentChanged();
  document.getElementById("main").focus({ preventScroll: true });
}
