/**
 * The page's half of what signs it in. The other half is a cookie that no script can read. A page goes on with the half
 * that it began with, also when somebody else signs in in another tab.
 */

const NAME = "plangate-key";

let own = localStorage.getItem(NAME) ?? "";

export function key() {
  return own;
}

export function keepKey(value) {
  own = value;
  localStorage.setItem(NAME, value);
}

export function dropKey() {
  own = "";
  localStorage.removeItem(NAME);
}

/** Call back with the half that another tab has got, or with nothing if somebody signed out there. */
export function onOtherKey(callback) {
  addEventListener("storage", ({ key: name, newValue }) => {
    if (name === NAME || name === null) callback(newValue ?? "");
  });
}

/** Go on with it. */
export function takeKey(value) {
  own = value;
}
