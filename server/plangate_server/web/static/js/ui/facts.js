/** What is known of a thing, one line each. */

import { h } from "./dom.js";

export function fact(name, ...value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}
