/** Keys that go through the rows of a list. */

export function rowKeys(list, what) {
  function move(step) {
    const links = [...list.querySelectorAll("a.row")];
    const at = links.indexOf(document.activeElement);
    links[at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  }
  return [
    { key: "j", words: `Next ${what}`, act: () => move(1) },
    { key: "k", words: "The one before", act: () => move(-1) },
    { key: "Enter", words: `Open the ${what}`, act: () => list.querySelector("a.row")?.click() },
  ];
}
