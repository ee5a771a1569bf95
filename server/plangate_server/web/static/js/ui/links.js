/** Words in which plans are named by their address: each leads there. */

import { planAddress } from "../gate/addresses.js";
import { h } from "./dom.js";
import { marked } from "./hidden.js";

const PLAN_URI = /(plangate:\/\/plans\/[0-9a-f]{32})/;

export function linked(text) {
  return text.split(PLAN_URI).map((part, index) => (index % 2 ? h("a", { href: planAddress(part) }, part) : marked(part)));
}
