/** The plan's Markdown as the gate renders it: cleaned there, and looked at once more here. */

import { post } from "../gate/http.js";
import { button, h } from "../ui/dom.js";

const TAGS = new Set(
  (
    "P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE CODE HR BR EM STRONG S A SPAN DIV MARK " +
    "TABLE THEAD TBODY TR TH TD DL DT DD"
  ).split(" "),
);
const ATTRIBUTES = new Set(["class", "data-line", "href", "rel", "target", "start", "title"]);
const LINK = /^(https?:|mailto:)/i;

/** In blocks that know the line of the source that they begin with. */
export function renderedText(instead) {
  return {
    async show({ item: { plan } }) {
      try {
        const blocks = [...(await rendered(plan.plan ?? "")).childNodes];
        return { element: h("div", { class: "rendered" }, blocks.filter(isSeen).map(framed)), digest: plan.digest };
      } catch (error) {
        const plain = button("Show the source", instead);
        const problem = h("p", { class: "problem" }, `The text could not be rendered: ${error.message} `, plain);
        return { element: h("div", { class: "rendered" }, problem), digest: "" };
      }
    },
  };
}

export async function rendered(text) {
  const { html } = await post("/api/render", { text });
  const parsed = new DOMParser().parseFromString(html, "text/html").body;
  for (const element of [...parsed.querySelectorAll("*")]) check(element);
  const fragment = document.createDocumentFragment();
  while (parsed.firstChild) fragment.append(parsed.firstChild);
  for (const table of fragment.querySelectorAll("table, pre")) table.tabIndex = 0;
  return fragment;
}

/** Whatever should not be there becomes text. */
function check(element) {
  if (!TAGS.has(element.tagName)) {
    element.replaceWith(element.outerHTML);
    return;
  }
  for (const { name, value } of [...element.attributes]) {
    if (!ATTRIBUTES.has(name) || (name === "href" && !LINK.test(value))) element.removeAttribute(name);
  }
}

/** Not the line ends between the blocks. */
function isSeen(block) {
  return block instanceof Element || block.textContent.trim();
}

/** A block with a handle to comment on it. */
function framed(block) {
  const line = block.dataset?.line ?? block.querySelector?.("[data-line]")?.dataset.line;
  if (!line) return h("div", { class: "block" }, block);
  const handle = h("button", { type: "button", class: "handle", "data-comment-on": line, "aria-label": `Comment on line ${line}` }, line);
  return h("div", { class: "block", "data-line": line }, handle, block);
}
