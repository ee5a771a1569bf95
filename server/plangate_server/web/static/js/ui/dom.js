/** Elements. What is given as text stays text: nothing here reads markup. */

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  return grown(element, children);
}

/** One by one: a hundred thousand are too many for one call. */
function grown(element, children) {
  for (const child of shown(children)) element.append(child);
  return element;
}

function shown(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

export function fill(element, ...children) {
  element.replaceChildren();
  return grown(element, children);
}

/** Children that stand for items: those that stay keep their element, and with it focus and scroll. */
export function keyed(parent, items, keyOf, make) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const after = items.map((item) => {
    const key = keyOf(item);
    const child = before.get(key) ?? make(item);
    child.dataset.key = key;
    child.show?.(item);
    return child;
  });
  const staying = new Set(after);
  for (const child of before.values()) if (!staying.has(child)) child.remove();
  after.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

export function button(label, onClick, properties = {}) {
  return h("button", { type: "button", ...properties, on: { click: onClick } }, label);
}

/** Text that is changed only if it is another, so that nobody is told the same twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
