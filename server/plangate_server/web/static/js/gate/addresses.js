/** Where on this page the things of the gate are shown. */

const PLAN = "plangate://plans/";

export function planAddress(planUri) {
  return `/plans/${encodeURIComponent(planUri.replace(PLAN, ""))}`;
}

export function sessionAddress(sessionId) {
  return `/sessions/${encodeURIComponent(sessionId)}`;
}

export function callAddress({ sessionId, callId }) {
  return `${sessionAddress(sessionId)}/calls/${encodeURIComponent(callId)}`;
}
