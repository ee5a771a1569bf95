/** The one stream of everything that happens: goes on where it broke off, and notices when it has died. */

import { eventsOf } from "./events.js";
import { Refused, open } from "./http.js";

const SILENCE = 40_000; // the gate says something every 15 seconds
const SHORTEST = 250;
const LONGEST = 8_000;

/**
 * heard(kind, body) for each event; line(state, error) with "live" or "lost"; signIn(refusal) when the gate
 * does not know us any more.
 */
export function listen({ heard, line, signIn }) {
  let cursor = "";
  let pause = SHORTEST;
  let hurry = () => {};

  async function once() {
    const stop = new AbortController();
    let watchdog = 0;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => stop.abort(), SILENCE);
    };
    alive();
    if (!isWhole(cursor)) {
      cursor = "";
      heard("reset", {});
    }
    try {
      const response = await open("/api/live", cursor ? { "Last-Event-ID": cursor } : {}, stop.signal);
      line("live");
      pause = SHORTEST;
      for await (const { kind, id, body } of eventsOf(response.body, alive)) {
        if (id !== null) cursor = id;
        if (kind === "end") throw new Refused(0, body.error);
        heard(kind, body);
      }
    } finally {
      clearTimeout(watchdog);
      stop.abort();
    }
  }

  async function forever() {
    for (;;) {
      let problem = null;
      try {
        await once();
      } catch (error) {
        problem = error;
      }
      line("lost", problem);
      if (problem instanceof Refused && problem.code === "UNAUTHENTICATED") await signIn(problem);
      else await rest();
    }
  }

  function rest() {
    const length = pause * (0.5 + Math.random() / 2);
    pause = Math.min(LONGEST, pause * 2);
    return new Promise((go) => {
      const timer = setTimeout(go, length);
      hurry = () => (clearTimeout(timer), go());
    });
  }

  addEventListener("online", () => hurry());
  document.addEventListener("visibilitychange", () => document.hidden || hurry());
  forever();
}

/** It has two parts, for plans and for tool calls. Without one of them the stream tells that part anew. */
function isWhole(cursor) {
  return /^[^~]+~[^~]+$/.test(cursor);
}
