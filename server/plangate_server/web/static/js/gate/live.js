/** The stream of everything that happens: goes on where it broke off, and notices when it has died. */

import { eventsOf } from "./events.js";
import { Refused, open } from "./http.js";

const SILENCE = 40_000; // the gate says something every 15 seconds
const SHORTEST = 250;
const LONGEST = 8_000;

/** tell has heard(kind, body, cursor), line("live" or "lost") and signIn(refusal), if the gate does not know us any more. */
export class Stream {
  #tell;
  #cursor;
  #pause = SHORTEST;
  #hurry = () => {};
  #end = new AbortController();

  constructor(cursor, tell) {
    this.#tell = tell;
    this.#cursor = cursor;
    const until = { signal: this.#end.signal };
    addEventListener("online", () => this.#hurry(), until);
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry(), until);
  }

  async run() {
    while (!this.#end.signal.aborted) {
      let problem = null;
      try {
        await this.#once();
      } catch (error) {
        problem = error;
      }
      if (this.#end.signal.aborted) return;
      this.#tell.line("lost");
      if (problem instanceof Refused && problem.code === "UNAUTHENTICATED") await this.#tell.signIn(problem);
      else await this.#rest();
    }
  }

  stop() {
    this.#end.abort();
    this.#hurry();
  }

  async #once() {
    const silent = new AbortController();
    let watchdog = 0;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => silent.abort(), SILENCE);
    };
    alive();
    if (!isWhole(this.#cursor)) {
      this.#cursor = "";
      this.#tell.heard("reset", {}, "");
    }
    try {
      const headers = this.#cursor ? { "Last-Event-ID": this.#cursor } : {};
      const response = await open("/api/live", headers, AbortSignal.any([silent.signal, this.#end.signal]));
      this.#pause = SHORTEST;
      await this.#hear(response.body, alive);
    } finally {
      clearTimeout(watchdog);
      silent.abort();
    }
  }

  async #hear(body, alive) {
    this.#tell.line("live");
    const stillThere = () => {
      alive();
      this.#tell.line("live");
    };
    for await (const { kind, id, body: said } of eventsOf(body, stillThere)) {
      if (id !== null) this.#cursor = id;
      if (kind === "end") throw new Refused(0, said.error);
      this.#tell.heard(kind, said, this.#cursor);
    }
  }

  #rest() {
    const length = this.#pause * (0.5 + Math.random() / 2);
    this.#pause = Math.min(LONGEST, this.#pause * 2);
    return new Promise((go) => {
      const timer = setTimeout(go, length);
      this.#hurry = () => (clearTimeout(timer), go());
    });
  }
}

/** It has two parts, for plans and for tool calls. Without one of them the stream tells that part anew. */
function isWhole(cursor) {
  return /^[^~]+~[^~]+$/.test(cursor);
}
