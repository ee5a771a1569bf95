/** One plan: what is shown, what the gate has by now, and whether the two are the same. */

import { getReview, listEvents } from "../gate/calls.js";
import { store } from "../gate/store.js";
import { between } from "../inbox/between.js";
import { button, fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { useKeys } from "../ui/keys.js";
import { contentChanged, focusPage } from "../ui/settling.js";
import { planBody } from "./body.js";
import { decidePanel } from "./decide.js";
import { PlanEditor } from "./editor/view.js";
import { planHead } from "./head.js";
import { keepSeen, seenBefore } from "./seen.js";
import { receipts } from "./receipts.js";
import { timeline } from "./timeline.js";
import { todoList } from "./todos.js";

export function planPage(root, planId) {
  const planUri = `plangate://plans/${planId}`;
  const notice = h("div", { class: "notice", role: "alert", hidden: true });
  const page = { planUri, shown: null, refresh, showNewest, seen: seenBefore(planUri) };
  const body = planBody(page);
  const decide = decidePanel(page);
  const editor = new PlanEditor(page, { opened: () => editing(true), closed: () => editing(false) });
  const parts = [planHead(), body, todoList(), timeline(), decide, receipts(), editor];
  const [head, , todos, history, , receipt] = parts;
  Object.assign(page, { decision: decide, edit: () => editor.open() });
  page.textIs = (digest, reason) =>
    decide.blockedBy("unread", digest === page.shown.item.plan.digest ? "" : reason || "The text is not shown yet.");
  const main = h("div", { class: "reading" }, head, body, todos, history);
  const side = h("aside", { class: "side", "aria-label": "Decision" }, decide.element, receipt);
  const layout = h("div", { class: "plan", hidden: true }, notice, editor.element, main, side);
  const loading = h("p", { class: "loading" }, "Loading");
  fill(root, loading, layout);

  let latest = null;
  let underWay = null;
  let again = false;
  let left = false;

  /** Look what the gate has now; however often it is asked for at once, the last look is after the last one. */
  function refresh() {
    again = true;
    underWay ??= (async () => {
      try {
        while (again && !left) {
          again = false;
          take(await load(planUri));
        }
      } catch (error) {
        if (!page.shown) fill(root, h("h1", {}, "This plan cannot be shown"), h("p", { class: "problem" }, error.message));
      } finally {
        underWay = null;
      }
    })();
    return underWay;
  }

  function take(found) {
    if (left) return;
    latest = found;
    if (!page.shown || isDraft(page.shown) || isSame(page.shown, found)) adopt();
    else tellOfNewer();
  }

  /** Show what the gate has now. */
  function adopt() {
    const before = page.shown;
    page.shown = latest;
    layout.hidden = false;
    loading.remove();
    notice.hidden = true;
    if (!before || versionOf(before) !== versionOf(latest)) {
      contentChanged();
      for (const part of parts) part.show(latest, before);
    }
    keepSeen(planUri, latest.item.plan.revision);
    decide.blockedBy("newer", "");
  }

  function tellOfNewer() {
    const { plan, review } = latest.item;
    const author = latest.revisions?.at(-1)?.author ?? "somebody";
    decide.blockedBy("newer", `This is revision ${page.shown.item.plan.revision}; there is a newer one.`);
    fill(
      notice,
      h(
        "p",
        {},
        [`Revision ${plan.revision} by `, marked(author), ` has arrived. You are reading revision ${page.shown.item.plan.revision}`],
        review.status === "REVIEW_STATUS_REQUESTED" ? ", which nobody can decide about any more." : ".",
      ),
      button([`Show revision ${plan.revision} `, h("kbd", {}, "n")], showNewer, { class: "primary" }),
    );
    notice.hidden = false;
  }

  /** What this person has made themselves is shown without being announced. */
  async function showNewest() {
    await refresh();
    if (!isSame(page.shown, latest)) showNewer();
  }

  function showNewer() {
    if (notice.hidden) return;
    page.seen = page.shown.item.plan.revision;
    adopt();
    if (editor.isOpen) return;
    scrollTo(0, 0);
    body.lookAtChanges();
    focusPage();
  }

  const stop = store.on(["event", "ready"], (event, kind) => {
    if (kind === "event" && event.planUri !== planUri) return;
    const shownPlan = page.shown?.item.plan;
    const isOther = shownPlan && event?.digest && event.plan && event.digest !== shownPlan.digest;
    if (isOther && !isDraft(page.shown)) decide.blockedBy("newer", "There is a newer revision.");
    refresh();
  });

  const newer = { key: "n", words: "Show the newer revision, if one has arrived", act: showNewer };
  const keys = [...decide.bindings, ...body.keys, newer, ...between(planUri)];

  function editing(isSo) {
    main.hidden = side.hidden = isSo;
    useKeys(isSo ? editor.keys : keys);
    if (!isSo) focusPage();
    scrollTo(0, 0);
  }

  const keepTyped = () => editor.look();
  addEventListener("pagehide", keepTyped);
  useKeys(keys);
  refresh();
  return () => {
    left = true;
    keepTyped();
    removeEventListener("pagehide", keepTyped);
    stop();
    decide.leave();
  };
}

async function load(planUri) {
  const [review, events] = await Promise.all([getReview({ planUri }), allEvents(planUri)]);
  return { comments: [], revisions: [], ...review, events };
}

async function allEvents(planUri) {
  const found = [];
  let cursor = "";
  for (;;) {
    const page = await listEvents({ planUri, cursor, pageSize: 1000 });
    if (!page.entries?.length) return found;
    found.push(...page.entries.map((entry) => entry.event));
    cursor = page.nextCursor;
  }
}

function isDraft(shown) {
  return shown.item.plan.state === "PLAN_STATE_DRAFT";
}

function isSame(one, other) {
  return one.item.plan.digest === other.item.plan.digest && one.item.plan.revision === other.item.plan.revision;
}

function versionOf(shown) {
  return JSON.stringify(shown, (name, value) => (name === "reviewersWatching" ? undefined : value));
}
