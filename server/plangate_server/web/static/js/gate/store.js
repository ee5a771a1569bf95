/** What the page knows of the gate now: open reviews, drafts, tool calls that wait, sessions. */

const EVENT = "REVIEW_EVENT_TYPE_";
const DECIDED = "TOOL_CALL_DECIDED";
const IDLE = 200;
const PARTS = 2;

export class Store extends EventTarget {
  constructor() {
    super();
    this.me = null;
    this.whole = new Set(); // the parts of the stream that have told everything there is
    this.plans = new Map(); // by plan_uri: plans in review or being written
    this.prompts = new Map(); // by session_id: the active prompt, how many wait, the last answer
    this.sessions = new Map(); // by session_id
    this.sessionsKnown = false;
  }

  get ready() {
    return this.whole.size === PARTS;
  }

  heard(kind, body) {
    if (kind === "reset") this.#reset();
    else if (kind === "review") this.#review(body.event);
    else if (kind === "prompt") this.#prompt(body);
  }

  /** The gate answers again: what was asked for meanwhile got no answer, so that everybody looks again. */
  isBack() {
    if (this.ready) this.#tell("ready");
  }

  /** Everything that the stream has told so far, for another tab. */
  standing() {
    return { whole: this.whole, plans: this.plans, prompts: this.prompts };
  }

  stand({ whole, plans, prompts }) {
    this.#reset();
    this.plans = plans;
    this.prompts = prompts;
    this.whole = whole;
    for (const kind of this.ready ? ["plans", "prompts", "ready"] : ["prompts"]) this.#tell(kind);
  }

  /** Whoever waits longest comes first. */
  waiting() {
    return [...this.plans.values()]
      .filter((plan) => plan.review?.status === "REVIEW_STATUS_REQUESTED")
      .sort((one, other) => order(one.review.requestTime, other.review.requestTime));
  }

  drafts() {
    return [...this.plans.values()].filter((plan) => plan.state === "PLAN_STATE_DRAFT");
  }

  activePrompts() {
    return [...this.prompts.values()]
      .filter((told) => told.prompt)
      .sort((one, other) => order(one.prompt.requestTime, other.prompt.requestTime));
  }

  /** Plans and tool calls in one list, in the order in which people were asked. */
  everyWaiting() {
    const plans = this.waiting().map((plan) => ({ plan, since: plan.review.requestTime }));
    const calls = this.activePrompts().map((told) => ({ told, since: told.prompt.requestTime }));
    return [...plans, ...calls].sort((one, other) => order(one.since, other.since));
  }

  count() {
    return this.waiting().length + this.activePrompts().length;
  }

  keepMe(me) {
    this.me = me;
    this.#tell("me");
  }

  keepSession(session) {
    this.#keep(session);
    this.#tell("sessions");
  }

  /** All that there are. */
  keepSessions(sessions) {
    for (const session of sessions) this.#keep(session);
    this.sessionsKnown = true;
    this.#tell("sessions");
  }

  /** What is told later may be older. An event tells the session without its last answer. */
  #keep(session) {
    const known = this.sessions.get(session.sessionId);
    if (known && order(session.updateTime, known.updateTime) < 0) return;
    const lastDecision = session.lastDecision ?? known?.lastDecision;
    this.sessions.set(session.sessionId, { ...session, lastDecision });
  }

  #reset() {
    this.whole.clear();
    this.plans.clear();
    this.prompts.clear();
    this.#tell("reset");
  }

  #checkpoint(part) {
    if (this.ready) return;
    this.whole.add(part);
    if (!this.ready) return;
    this.#tell("plans");
    this.#tell("ready");
  }

  #review(event) {
    const type = event.type.replace(EVENT, "");
    if (type === "CHECKPOINT") {
      this.#checkpoint("plans");
      return;
    }
    if (event.session) this.keepSession({ ...event.session, lastDecision: type === DECIDED ? event.approval : undefined });
    if (event.planUri) this.#plan(event);
    this.#tell("event", { ...event, type });
  }

  #plan(event) {
    const known = this.plans.get(event.planUri);
    const plan = { ...(event.plan ?? known) };
    if (event.review) plan.review = event.review;
    if (event.plan || event.review) {
      const waits = plan.review?.status === "REVIEW_STATUS_REQUESTED";
      const isOpen = plan.planUri && (waits || plan.state === "PLAN_STATE_DRAFT");
      if (isOpen) this.plans.set(plan.planUri, plan);
      else this.plans.delete(event.planUri);
    }
    if (this.ready) this.#tell("plans", event);
  }

  #prompt(told) {
    if (told.checkpoint) {
      this.#checkpoint("prompts");
      return;
    }
    this.prompts.delete(told.sessionId);
    this.prompts.set(told.sessionId, told);
    this.#forgetIdle();
    this.#tell("prompts");
  }

  /** Of sessions in which nothing waits, only those are kept that changed last. */
  #forgetIdle() {
    const idle = [...this.prompts.values()].filter((told) => !told.prompt);
    for (const { sessionId } of idle.slice(0, -IDLE)) this.prompts.delete(sessionId);
  }

  #tell(kind, detail = null) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  /** Call back on these kinds of change, until the function that this gives is called. */
  on(kinds, callback) {
    const listener = (event) => callback(event.detail, event.type);
    for (const kind of kinds) this.addEventListener(kind, listener);
    return () => kinds.forEach((kind) => this.removeEventListener(kind, listener));
  }
}

function order(one, other) {
  return Date.parse(one) - Date.parse(other);
}

export const store = new Store();
