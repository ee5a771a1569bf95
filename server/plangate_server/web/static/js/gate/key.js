/** The page's half of what signs it in. The other half is a cookie that no script can read. */

const NAME = "plangate-key";

export function key() {
  return localStorage.getItem(NAME) ?? "";
}

export function keepKey(value) {
  localStorage.setItem(NAME, value);
}

export function dropKey() {
  localStorage.removeItem(NAME);
}
