/** The states that a session can be in, and the one it is in. */

import { fill, h, say } from "../ui/dom.js";
import { section } from "./section.js";
import { STATES, fsmOf } from "./words.js";

export function machine() {
  const list = h("ol", { class: "machine", "aria-label": "State of the session" });
  const part = section("state", "State", list);
  part.show = (session) => {
    const now = fsmOf(session);
    say(part.sum, STATES[now]?.[1] ?? "");
    const state = ([name, [label]]) => h("li", { title: name, "aria-current": name === now && "step" }, label);
    fill(list, Object.entries(STATES).map(state));
  };
  return part;
}
