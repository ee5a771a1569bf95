/** The texts that a plan has had: whose each is, what became of it, and which one took its place. */

import { authored, nameOfAuthor } from "../ui/authors.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { clock } from "../ui/times.js";
import { outcome } from "../ui/words.js";

/** compare(from, to) shows two of them beside each other. */
export function revisionList(compare) {
  const list = h("ol", { class: "revisions" });
  const section = h("section", { "aria-labelledby": "revisions-title" }, h("h2", { id: "revisions-title" }, "Revisions"), list);
  section.show = ({ revisions, item, olderRevisions }) => {
    section.hidden = revisions.length < 2;
    const older = olderRevisions && h("li", {}, `${olderRevisions} older revisions are not listed here: the log tells of them.`);
    fill(list, older, revisions.map((info) => entry(info, revisions, item, compare)));
  };
  return section;
}

function entry(info, revisions, { plan }, compare) {
  const isHead = info.revision === plan.revision;
  return h(
    "li",
    {},
    h("b", {}, `Revision ${info.revision}`),
    h("span", {}, "by ", whose(info)),
    h("time", { datetime: info.createTime }, clock(info.createTime)),
    h("span", { class: "became" }, became(info, revisions, compare), isHead && " This is the one that counts."),
  );
}

/** A person's edit of a text is the person's, and was not proposed by anybody. */
export function whose({ author = "somebody", review }) {
  return review && nameOfAuthor(review) === author ? authored(review, author) : h("b", {}, marked(author));
}

function became({ revision, review }, revisions, compare) {
  if (!review?.outcome) return review ? "Waits for review." : "Approved as edited.";
  const next = revisions.find((info) => review.supersededBy && info.review?.approvalRequestId === review.supersededBy);
  if (!next) return `${outcome(review)}.`;
  return ["Superseded by ", toward(Number(revision), next, compare), ": nobody can decide about it any more."];
}

function toward(from, next, compare) {
  const label = ["revision ", next.revision, " by ", marked(next.author ?? "somebody")];
  const link = h("a", { href: "#body-title" }, label);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    compare(from, Number(next.revision));
  });
  return link;
}
