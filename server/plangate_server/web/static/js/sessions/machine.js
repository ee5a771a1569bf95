/** The states that a session can be in, and the one it is in. */

import { fill, h } from "../ui/dom.js";
import { STATES, fsmOf } from "./words.js";

export function machine() {
  const list = h("ol", { class: "machine", "aria-label": "State of the session" });
  const words = h("p", { class: "sum" });
  const section = h("section", { "aria-labelledby": "state-title" }, h("div", { class: "section-head" }, h("h2", { id: "state-title" }, "State"), words), list);
  section.show = (session) => {
    const now = fsmOf(session);
    fill(words, STATES[now]?.[1] ?? "");
    fill(list, Object.entries(STATES).map(([name, [label]]) => h("li", { title: name, "aria-current": name === now && "step" }, label)));
  };
  return section;
}
