/** The text of a plan: rendered, as it was written, or what changed. */

import { button, fill, h } from "../ui/dom.js";
import { contentChanged } from "../ui/settling.js";
import { commentLayer } from "./comments.js";
import { renderedText } from "./rendered.js";
import { sourceText } from "./source.js";

const VIEWS = [
  ["rendered", "Rendered"],
  ["source", "Source"],
];

export function planBody(page) {
  const place = h("div", { class: "text" });
  const comments = commentLayer(page, place);
  const views = {
    rendered: renderedText(() => choose("source")),
    source: sourceText(),
  };
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
    comments.whole,
    place,
  );
  let chosen = "rendered";
  let digest = "";

  async function choose(name) {
    chosen = name;
    for (const [each, element] of buttons) element.setAttribute("aria-pressed", String(each === chosen));
    const view = views[chosen];
    const lines = await view.lines(page.shown.item.plan, page);
    if (chosen !== name) return;
    contentChanged();
    fill(place, view.element);
    comments.show(page.shown.comments, lines);
    page.textIsShown();
  }

  body.show = ({ item: { plan }, comments: all }) => {
    if (plan.digest !== digest) {
      digest = plan.digest;
      choose(chosen);
    } else comments.show(all);
  };
  body.lookAtChanges = () => {};
  body.keys = [{ key: "c", words: "Comment on the line in focus, or on the whole plan", act: () => comments.write() }];
  return body;
}
