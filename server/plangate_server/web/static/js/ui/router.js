/** Which page is shown at which address. Links within lead there without loading anything anew. */

import { fill, h } from "./dom.js";
import { useKeys } from "./keys.js";
import { contentChanged } from "./settling.js";

let routes = [];
let leave = () => {};

/** Each route is a pattern and a page: (root, ...groups) gives what to do when it is left. */
export function startRouter(table) {
  routes = table;
  addEventListener("popstate", show);
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.origin !== location.origin || link.target || link.hash || !routeOf(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
  show();
}

export function go(path) {
  if (path !== location.pathname + location.search) history.pushState(null, "", path);
  show();
}

function routeOf(path) {
  for (const [pattern, page] of routes) {
    const found = pattern.exec(path);
    if (found) return () => page(document.getElementById("main"), ...found.slice(1).map(decodeURIComponent));
  }
  return null;
}

function show() {
  leave();
  useKeys([]);
  const main = fill(document.getElementById("main"));
  contentChanged();
  for (const link of document.querySelectorAll(".top nav a")) {
    const here = link.pathname === "/" ? /^\/($|plans\/)/ : new RegExp(`^${link.pathname}($|/)`);
    if (here.test(location.pathname)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
  const open = routeOf(location.pathname);
  leave = open ? open() : (fill(main, h("h1", {}, "There is no such page")), () => {});
  main.focus({ preventScroll: true });
}
