/** Every session there is: asked for once the live stream stands, which then tells every change. */

import { every, listSessions } from "../gate/calls.js";
import { isAgent } from "../gate/roles.js";
import { store } from "../gate/store.js";
import { banner } from "../ui/banners.js";

export function startSessions() {
  store.on(["ready"], load);
  if (isAgent()) load();
}

async function load() {
  try {
    store.keepSessions(await every(listSessions, {}, "sessions"));
    banner("sessions");
  } catch (error) {
    banner("sessions", "bad", `The sessions could not be listed: ${error.message}`);
  }
}
