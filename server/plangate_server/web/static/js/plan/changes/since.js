/** What a revision is compared with, and what people said before it came. */

import { getPlan, wholeReview } from "../../gate/calls.js";

/**
 * The revision that this person saw last, or else the last that people decided about, or else the one before.
 * 0 if there is none.
 */
export function baseOf(revisions, head, seen) {
  const numbers = revisions.map(({ revision }) => Number(revision)).filter((number) => number < head);
  if (numbers.includes(Number(seen))) return Number(seen);
  const decided = revisions.filter(({ review }) => review?.decisions?.length).map(decidedText);
  return Math.max(0, ...decided.filter((number) => number < head)) || Math.max(0, ...numbers);
}

/** Whoever edits decides about the text that they wrote themselves, which is the next revision. */
function decidedText({ revision, review }) {
  return Number(revision) + (review.outcome === "REVIEW_OUTCOME_MODIFIED" ? 1 : 0);
}

/** The decisions about the revisions from one to before another; if there are none, the last before. */
export function saidBetween(revisions, from, to) {
  const decided = revisions.filter(({ revision, review }) => Number(revision) < to && review?.decisions?.length);
  const between = decided.filter(({ revision }) => Number(revision) >= from);
  return between.length ? between : decided.slice(-1);
}

/** A revision as it was, with the comments on its lines. */
export async function revisionOf({ item, revisions }, number) {
  const { planUri } = item.plan;
  const review = revisions.find(({ revision }) => Number(revision) === number)?.review;
  if (!review) return { comments: [], ...(await getPlan({ planUri, revision: String(number) })) };
  const found = await wholeReview({ approvalRequestId: review.approvalRequestId });
  return { plan: found.item.plan, comments: found.comments ?? [] };
}
