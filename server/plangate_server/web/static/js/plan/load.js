/** A plan as the gate has it: its review, its revisions, its comments and everything that happened to it. */

import { listEvents, wholeReview } from "../gate/calls.js";

export async function load(planUri) {
  const [review, events] = await Promise.all([wholeReview({ planUri }), allEvents(planUri)]);
  return { comments: [], revisions: [], ...review, events };
}

async function allEvents(planUri) {
  const found = [];
  let cursor = "";
  for (;;) {
    const page = await listEvents({ planUri, cursor, pageSize: 1000 });
    if (!page.entries?.length) return found;
    found.push(...page.entries.map((entry) => entry.event));
    cursor = page.nextCursor;
  }
}

export function isDraft(shown) {
  return shown.item.plan.state === "PLAN_STATE_DRAFT";
}

/** Whether a decision about the one is a decision about the other. */
export function isSame(one, other) {
  return one.item.plan.digest === other.item.plan.digest && one.item.plan.revision === other.item.plan.revision;
}

/** Whether there is nothing to show anew. */
export function isUnchanged(one, other) {
  return versionOf(one) === versionOf(other);
}

function versionOf(shown) {
  return JSON.stringify(shown, (name, value) => (name === "reviewersWatching" ? undefined : value));
}
