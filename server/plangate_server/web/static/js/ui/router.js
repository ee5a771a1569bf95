/** Which page is shown at which address. Links within lead there without loading anything anew. */

import { fill, h } from "./dom.js";
import { useKeys } from "./keys.js";
import { contentChanged } from "./settling.js";

let routes = [];
let leave = () => {};
let shown = "";

/** Each route is a pattern and a page: (root, ...groups) gives what to do when it is left. */
export function startRouter(table) {
  routes = table;
  addEventListener("popstate", () => shown === here() || show()); // what is behind the # is a place on the same page
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
  if (path !== here()) history.pushState(null, "", path);
  show();
}

function routeOf(path) {
  for (const [pattern, page] of routes) {
    const parts = decoded(pattern.exec(path)?.slice(1));
    if (parts) return () => page(document.getElementById("main"), ...parts);
  }
  return null;
}

/** Nothing if a part is no text: a browser takes any bytes in an address. */
function decoded(parts) {
  try {
    return parts?.map(decodeURIComponent);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return null;
  }
}

function here() {
  return location.pathname + location.search;
}

function show() {
  leave();
  shown = here();
  useKeys([]);
  const main = fill(document.getElementById("main"));
  contentChanged();
  for (const link of document.querySelectorAll(".top nav a")) {
    const part = link.pathname === "/" ? /^\/($|plans\/)/ : new RegExp(`^${link.pathname}($|/)`);
    if (part.test(location.pathname)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
  const open = routeOf(location.pathname);
  leave = open ? open() : (fill(main, h("h1", {}, "There is no such page")), () => {});
  main.focus({ preventScroll: true });
}
