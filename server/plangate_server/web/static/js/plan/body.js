/** The text of a plan: rendered, as it was written, or what changed. */

import { button, fill, h } from "../ui/dom.js";
import { contentChanged, focusPage } from "../ui/settling.js";
import { sinceStrip } from "./changes/strip.js";
import { changesView } from "./changes/view.js";
import { commentLayer } from "./comments.js";
import { renderedText } from "./rendered.js";
import { sourceText } from "./source.js";

const VIEWS = [
  ["rendered", "Rendered"],
  ["source", "Source"],
  ["changes", "What changed"],
];

/** page.textIs(digest, reason) is told what stands here, and if nobody can decide about that, why. */
export function planBody(page) {
  const place = h("div", { class: "text" });
  const comments = commentLayer(page, place);
  const strip = sinceStrip(page, () => lookAt("changes"));
  const views = { rendered: renderedText(() => lookAt("source")), source: sourceText(), changes: changesView(page) };
  const buttons = new Map(
    VIEWS.map(([name, label]) => [name, button(label, () => choose(name), { "aria-pressed": "false" })]),
  );
  const body = h(
    "section",
    { class: "body", "aria-labelledby": "body-title" },
    h(
      "div",
      { class: "section-head" },
      h("h2", { id: "body-title" }, "Plan"),
      h("div", { class: "views", role: "group", "aria-label": "How the plan is shown" }, [...buttons.values()]),
    ),
    strip,
    comments.whole,
    place,
  );
  let chosen = "rendered";
  let digest = "";
  let stands = { look: 0 };
  let looks = 0;

  async function choose(name) {
    chosen = name;
    looks += 1;
    const look = looks;
    for (const [each, element] of buttons) element.setAttribute("aria-pressed", String(each === chosen));
    strip.classList.toggle("told", name === "changes");
    place.setAttribute("aria-busy", "true");
    const found = await views[name].show(page.shown);
    if (name === chosen && look > stands.look) stand({ ...found, look }, views[name].controls);
  }

  /** Nothing that was asked for earlier takes the place of what stands here; and only what stands here is told. */
  function stand(found, controls = null) {
    stands = found;
    const focused = document.activeElement;
    if (controls) found.element.prepend(controls);
    contentChanged();
    fill(place, found.element);
    if (place.contains(focused)) focused.focus({ preventScroll: true });
    if (found.look === looks) place.removeAttribute("aria-busy");
    showComments();
    page.textIs(found.digest, found.reason);
  }

  /** For a button that goes with what it was in. */
  function lookAt(name) {
    focusPage();
    return choose(name);
  }

  function showComments() {
    const all = page.shown.comments;
    comments.show(stands.comments?.(all) ?? all);
  }

  body.show = (shown) => {
    const { item: { plan }, revisions } = shown;
    strip.show(shown);
    buttons.get("changes").hidden = revisions.length < 2;
    if (plan.digest !== digest) {
      digest = plan.digest;
      page.textIs("");
      choose(revisions.length < 2 && chosen === "changes" ? "rendered" : chosen);
    } else showComments();
  };
  body.lookAtChanges = () => page.shown.revisions.length > 1 && choose("changes");
  body.compare = (from, to) => {
    views.changes.pick(page.shown, from, to);
    lookAt("changes");
    body.scrollIntoView();
  };
  page.lookAgain = () => {
    page.textIs("");
    return choose(chosen);
  };
  body.keys = [
    { key: "c", words: "Comment on the line in focus, or on the whole plan", act: () => comments.write() },
    { key: "d", words: "What changed since the revision before", act: () => body.lookAtChanges() },
    { key: "t", words: "The text as it is", act: () => choose("rendered") },
  ];
  return body;
}
