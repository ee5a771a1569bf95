/** A part of a page with a title, a line that sums it up, and what went wrong with it. */

import { h, say } from "../ui/dom.js";

export function section(name, title, ...content) {
  const sum = h("p", { class: "sum" });
  const head = h("div", { class: "section-head" }, h("h2", { id: `${name}-title` }, title), sum);
  const problem = h("p", { class: "problem", role: "alert" });
  const part = h("section", { "aria-labelledby": `${name}-title` }, head, problem, content);

  /** Whatever goes wrong is said here; nothing that went wrong before is. */
  async function tries(act) {
    say(problem, "");
    try {
      await act();
    } catch (error) {
      say(problem, error.message);
    }
  }
  return Object.assign(part, { head, sum, tries });
}
