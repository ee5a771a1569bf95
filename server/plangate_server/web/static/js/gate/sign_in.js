/** Signing in: by the link that the server prints, or by a token. What is on the page stays there meanwhile. */

import { h, say } from "../ui/dom.js";
import { dropEveryText } from "../plan/kept.js";
import { whoHas } from "./calls.js";
import { Refused, post } from "./http.js";
import { dropKey, keepKey, key, onOtherKey, takeKey } from "./key.js";
import { store } from "./store.js";

const NOTHING_SHOWN = "MISSING_CREDENTIALS";

let asking = null;
let answered = () => {};

/** With the code that stands behind the # of the address, if there is one. Who is signed in already needs none. */
export async function signInByLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return;
  const refusal = await refusalOf(code);
  history.replaceState(null, "", location.pathname + location.search);
  if (refusal && !key()) await askForToken(refusal);
}

async function refusalOf(code) {
  try {
    await shown({ code });
    return null;
  } catch (error) {
    if (error instanceof Refused && error.code === "UNAUTHENTICATED") return error;
    throw error;
  }
}

export async function signOut() {
  await post("/sign-out", {});
  dropKey();
  signedOut();
}

function signedOut() {
  dropEveryText();
  location.assign("/");
}

/** Somebody signs in or out in another tab: the same person goes on here, for anybody else the page begins anew. */
export function followOtherTabs() {
  onOtherKey(async (value) => {
    try {
      if (!value) return signedOut();
      await goOnAs(await whoHas(value));
      takeKey(value);
      return answered();
    } catch {
      return location.reload(); // who is there is not known: the page that begins says why
    }
  });
}

/** Ask until somebody has signed in. Whoever else needs it meanwhile waits for the same answer. */
export function askForToken(refusal) {
  asking ??= new Promise((done) => {
    answered = () => {
      dialog.close();
      dialog.remove();
      asking = null;
      answered = () => {};
      done();
    };
    const dialog = form(refusal);
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}

async function shown(credentials) {
  const { key: half, ...me } = await post("/sign-in", credentials);
  keepKey(half);
  await goOnAs(me);
}

async function goOnAs(me) {
  if (store.me && !isSame(me, store.me)) {
    // What another person had begun must not go on under this one's name.
    location.reload();
    await new Promise(() => {});
  }
  store.keepMe(me);
}

function isSame(one, other) {
  return one.person === other.person && one.role === other.role && one.workspace === other.workspace;
}

function form(refusal) {
  const problem = h("p", { class: "problem", role: "alert" }, refusal.reason !== NOTHING_SHOWN && refusal.message);
  const token = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  async function submit(event) {
    event.preventDefault();
    try {
      await shown({ token: token.value });
      answered();
    } catch (error) {
      say(problem, error.message);
      token.select();
    }
  }
  const stay = (event) => event.preventDefault();
  return h(
    "dialog",
    { class: "sign-in", "aria-labelledby": "sign-in-title", on: { cancel: stay } },
    h("h1", { id: "sign-in-title" }, "Sign in"),
    store.me && h("p", {}, h("b", {}, "Your sign-in has ended."), " Nothing of what you typed is lost: sign in to go on."),
    h("p", {}, "Open the link that the server printed when it started, or paste a token of a reviewer."),
    h(
      "form",
      { on: { submit } },
      h("label", { for: "token" }, "Token"),
      token,
      problem,
      h("button", { class: "primary" }, "Sign in"),
    ),
  );
}
