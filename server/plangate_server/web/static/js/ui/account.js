/** Who is signed in, and the way out. */

import { signOut } from "../gate/sign_in.js";
import { store } from "../gate/store.js";
import { banner } from "./banners.js";
import { button, fill, h } from "./dom.js";
import { marked } from "./hidden.js";
import { until } from "./times.js";
import { lower } from "./words.js";

export function startAccount() {
  store.on(["me"], show);
}

export function signOutButton(label) {
  return button(label, async () => {
    try {
      await signOut();
    } catch (error) {
      banner("sign-out", "bad", `You are still signed in: ${error.message}`, signOutButton("Try again"));
    }
  });
}

function show() {
  const { name, person, role, workspace, expireTime } = store.me;
  fill(document.getElementById("who"), marked(name), ` (${lower(role, "ROLE")})`);
  fill(
    document.getElementById("account"),
    h("p", {}, "Signed in as ", h("b", {}, marked(name)), person !== name && [", for ", marked(person)]),
    h("p", { class: "sum" }, `${lower(role, "ROLE")}, workspace `, marked(workspace)),
    expireTime && h("p", { class: "sum" }, "the token ends ", until(expireTime)),
    h("div", { class: "buttons" }, signOutButton("Sign out")),
  );
}
