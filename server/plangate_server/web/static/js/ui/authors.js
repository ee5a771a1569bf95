/** Whose text a review is about: the agent, as it names itself, and the credentials and the person behind it. */

import { h } from "./dom.js";
import { marked, spelled } from "./hidden.js";

/** What it is called; `createdBy` where the gate does not know more. */
export function nameOfAuthor(review, createdBy = "") {
  return review.agentId || review.principal || createdBy;
}

/** An agent can take any name. What it cannot choose stands in brackets behind it. */
export function authored(review, createdBy) {
  const behind = behindName(review);
  return [h("b", {}, marked(nameOfAuthor(review, createdBy))), behind && h("span", { class: "behind" }, " (", marked(behind), ")")];
}

/** The same as words. */
export function authorWords(review, createdBy) {
  const behind = behindName(review);
  return spelled(nameOfAuthor(review, createdBy) + (behind && ` (${behind})`));
}

export function isSameAuthor(one, other) {
  return ["agentId", "principal", "person"].every((field) => (one[field] ?? "") === (other[field] ?? ""));
}

function behindName(review) {
  const { principal = "", person = "" } = review;
  const token = principal === nameOfAuthor(review) ? "" : principal;
  return [token, person === principal ? "" : `of ${person}`].filter(Boolean).join(", ");
}
