/**
 * One tab listens for all tabs of the same person: a browser has six connections to a server, and a stream takes one
 * for as long as it lasts. Whoever holds the lock listens and hands on what it hears; when that tab closes, the next one
 * goes on from the place that it has heard of. What is heard twice then says the same twice.
 */

import { Stream } from "./live.js";

const SILENCE = 40_000; // the tab that listens says something as often as the gate does
const ANSWER = 3_000;

export class Tabs {
  #name;
  #store;
  #tell;
  #channel;
  #cursor = "";
  #line = "lost";
  #isIn = false; // knows how things stand, so that what is heard fits
  #stream = null; // while this tab is the one that listens
  #queued = null;
  #patience = 0;

  /** tell has line("live" or "lost") and signIn(refusal); the store hears the rest. */
  constructor(store, tell) {
    const { workspace, person, role } = store.me;
    this.#name = JSON.stringify(["plangate", workspace, person, role]);
    this.#store = store;
    this.#tell = tell;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }) => (this.#stream ? this.#asked(data) : this.#told(data));
    document.addEventListener("visibilitychange", () => document.hidden || this.#stream || this.#ask());
  }

  /** Wait until no other tab listens; meanwhile hear from the one that does. */
  follow() {
    this.#queued = new AbortController();
    this.#want({ signal: this.#queued.signal });
    this.#ask();
  }

  /** Ask how things stand. A tab that does not answer is asleep, and hears nothing for anybody. */
  #ask() {
    this.#channel.postMessage({ isQuestion: true });
    this.#expect(ANSWER, () => {
      this.#queued.abort();
      this.#want({ steal: true });
    });
  }

  #expect(length, otherwise) {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(otherwise, length);
  }

  async #want(options) {
    try {
      await navigator.locks.request(this.#name, options, () => this.#lead());
    } catch (error) {
      if (error.name !== "AbortError") throw error;
      if (this.#stream && !options.signal?.aborted) this.#yield();
    }
  }

  /** Until the tab is closed, or another one takes the lock away. */
  #lead() {
    clearTimeout(this.#patience);
    this.#isIn = true;
    this.#stream?.stop();
    this.#stream = new Stream(this.#cursor, {
      heard: (kind, body, cursor) => this.#pass({ heard: [kind, body, cursor] }),
      line: (line) => this.#pass({ line }),
      signIn: (refusal) => this.#pass({ refusal: { reason: refusal.reason, message: refusal.message } }),
    });
    this.#channel.postMessage(this.#standing());
    this.#stream.run();
    return new Promise(() => {});
  }

  #yield() {
    this.#stream.stop();
    this.#stream = null;
    this.follow();
  }

  #standing() {
    return { standing: this.#store.standing(), cursor: this.#cursor, line: this.#line };
  }

  #asked({ isQuestion }) {
    if (isQuestion) this.#channel.postMessage(this.#standing());
  }

  #pass(message) {
    this.#channel.postMessage(message);
    return this.#take(message);
  }

  #told(message) {
    if (message.isQuestion) return;
    this.#expect(SILENCE, () => this.#ask());
    if (message.standing) this.#stand(message);
    else if (this.#isIn) this.#take(message);
  }

  #stand({ standing, cursor, line }) {
    if (!this.#isIn || cursor !== this.#cursor) this.#store.stand(standing);
    this.#isIn = true;
    this.#cursor = cursor;
    this.#tell.line((this.#line = line));
  }

  #take({ heard, line, refusal }) {
    if (refusal) return this.#tell.signIn(refusal);
    if (line) {
      const isBack = line === "live" && this.#line === "lost";
      this.#tell.line((this.#line = line));
      if (isBack) this.#store.isBack();
    }
    if (heard) {
      const [kind, body, cursor] = heard;
      this.#cursor = cursor;
      this.#store.heard(kind, body);
    }
    return null;
  }
}
