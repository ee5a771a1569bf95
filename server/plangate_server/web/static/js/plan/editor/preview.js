/** The text beside the box, as the gate renders it: a moment after somebody stopped typing. */

import { fill, h, say } from "../../ui/dom.js";
import { rendered } from "../rendered.js";

const PAUSE = 300;
const AGAIN = 2000;

export function preview() {
  const text = h("div", { class: "rendered", tabindex: "0", role: "region", "aria-label": "Preview" });
  const problem = h("p", { class: "problem", role: "status" });
  const element = h("div", { class: "preview" }, problem, text);
  let timer = 0;
  let asked = 0;
  let last = null;

  async function ask(source, line) {
    asked += 1;
    const look = asked;
    try {
      const found = await rendered(source);
      if (look !== asked) return;
      fill(text, found);
      follow(line);
      say(problem, "");
    } catch (error) {
      if (look !== asked || source !== last || !element.isConnected) return;
      timer = setTimeout(() => ask(source, line), AGAIN);
      say(problem, `The preview is not up to date: ${error.message}`);
    }
  }

  /** Keep what is being written in sight. */
  function follow(line) {
    const blocks = [...text.children].filter((block) => block.dataset.line);
    const block = blocks.findLast((each) => Number(each.dataset.line) <= line) ?? blocks[0];
    if (block) text.scrollTop = block.offsetTop - text.offsetTop - text.clientHeight / 3;
  }

  /** The text, and the line on which somebody writes. */
  element.show = (source, line) => {
    if (source === last) return;
    const isFirst = last === null;
    last = source;
    clearTimeout(timer);
    timer = setTimeout(() => ask(source, line), isFirst ? 0 : PAUSE);
  };
  return element;
}
