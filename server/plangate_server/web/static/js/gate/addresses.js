/** Where on this page the things of the gate are shown. */

const PLAN = "plangate://plans/";

export function planUriOf(planId) {
  return PLAN + planId;
}

export function planAddress(planUri) {
  return `/plans/${encodeURIComponent(planUri.replace(PLAN, ""))}`;
}

export function sessionAddress(sessionId) {
  return `/sessions/${encodeURIComponent(sessionId)}`;
}

export function callAddress({ sessionId, callId }) {
  return `${sessionAddress(sessionId)}/calls/${encodeURIComponent(callId)}`;
}

/** Those entries of the log that are of this plan (by its id), session and kind. */
export function logAddress(filters) {
  const set = Object.entries(filters).filter(([, value]) => value);
  return set.length ? `/log?${new URLSearchParams(set)}` : "/log";
}
