/** A moment of calm after what is under the eyes has changed: nobody decides about what they have not seen. */

export const CALM = 400;

let changedAt = 0;

export function contentChanged() {
  changedAt = performance.now();
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
