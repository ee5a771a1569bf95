/** Above every page: which sessions ask for full access, and which have it. */

import { sessionAddress } from "../gate/addresses.js";
import { mayDecide, onlyLooking } from "../gate/roles.js";
import { store } from "../gate/store.js";
import { banner } from "../ui/banners.js";
import { button, h, say } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { count } from "../ui/words.js";
import { declineFullAccess, giveFullAccess, giveMode } from "./access.js";
import { asksForFullAccess, hasFullAccess } from "./words.js";

const SHOWN = 3;
const shown = new Map();

export function startAccessBanners() {
  store.on(["sessions"], look);
  look();
}

function look() {
  const all = [...store.sessions.values()].filter((session) => asksForFullAccess(session) || hasFullAccess(session));
  const wanted = new Map(all.slice(0, SHOWN).map((session) => [`full access ${session.sessionId}`, session]));
  for (const name of [...shown.keys()]) if (!wanted.has(name)) put(name, "", null);
  for (const [name, session] of wanted) put(name, session.fullAccessState, session);
  const more = all.length - wanted.size;
  put("full access more", more > 0 ? String(more) : "", null, more);
}

/** Only what is another than before is put there anew: or a button would vanish under the finger. */
function put(name, state, session, more = 0) {
  if ((shown.get(name) ?? "") === state) return;
  if (state) shown.set(name, state);
  else shown.delete(name);
  if (!state) banner(name);
  else if (!session) banner(name, "bad", moreLink(more));
  else banner(name, hasFullAccess(session) ? "bad" : "waits", ...line(session));
}

function moreLink(more) {
  return h("a", { href: "/sessions" }, `${count(more, "more session")} with full access, or asking for it`);
}

function line(session) {
  const problem = h("span", { class: "problem", role: "alert" });
  const link = h("a", { href: sessionAddress(session.sessionId) }, marked(session.sessionId));
  const now = () => store.sessions.get(session.sessionId) ?? session;
  const act = (does) => async () => {
    try {
      await does(now());
    } catch (error) {
      say(problem, error.message);
    }
  };
  const words = hasFullAccess(session)
    ? ["Session ", link, " has full access: every tool that no rule denies is used without asking."]
    : ["Session ", link, " asks for full access: every tool that no rule denies, without asking."];
  const buttons = hasFullAccess(session)
    ? [button("Switch it off", act((one) => giveMode(one, "AGENT")))]
    : [button("Confirm", act(giveFullAccess)), button("Decline", act(declineFullAccess))];
  return [h("p", {}, words), mayDecide() ? h("span", { class: "buttons" }, buttons) : h("span", {}, onlyLooking()), problem];
}
