/** One plan: what is shown, what the gate has by now, and whether the two are the same. */

import { again } from "../gate/again.js";
import { store } from "../gate/store.js";
import { between } from "../inbox/between.js";
import { fill, h } from "../ui/dom.js";
import { useKeys } from "../ui/keys.js";
import { contentChanged, focusPage } from "../ui/settling.js";
import { alongTeller } from "./along.js";
import { planBody } from "./body.js";
import { decidePanel } from "./decide.js";
import { PlanEditor } from "./editor/view.js";
import { planHead } from "./head.js";
import { isDraft, isSame, isUnchanged, load } from "./load.js";
import { newerNotice } from "./notice.js";
import { otherPlans } from "./others.js";
import { revisionList } from "./revisions.js";
import { keepSeen, seenBefore } from "./seen.js";
import { receipts } from "./receipts.js";
import { timeline } from "./timeline.js";
import { todoList } from "./todos.js";

export function planPage(root, planId) {
  const planUri = `plangate://plans/${planId}`;
  const notice = newerNotice(showNewer);
  const refresh = again(look);
  const page = { planUri, shown: null, refresh, showNewest, seen: seenBefore(planUri) };
  const body = planBody(page);
  const decide = decidePanel(page);
  const editor = new PlanEditor(page, { opened: () => editing(true), closed: () => editing(false) });
  const others = otherPlans(page);
  const revisions = revisionList((from, to) => body.compare(from, to));
  const along = { show: () => page.tellAlong() };
  const parts = [planHead(), others, body, todoList(), revisions, timeline(), decide, receipts(), editor, along];
  const [head, , , todos, , history, , receipt] = parts;
  Object.assign(page, { decision: decide, edit: () => editor.open(), hasEdits: () => editor.hasKept });
  page.textIs = (digest, reason) =>
    decide.blockedBy("unread", digest === page.shown.item.plan.digest ? "" : reason || "The text is not shown yet.");
  const main = h("div", { class: "reading" }, head, others, body, todos, revisions, history);
  const side = h("aside", { class: "side", "aria-label": "Decision" }, decide.element, receipt);
  const layout = h("div", { class: "plan", hidden: true }, notice, editor.element, main, side);
  const loading = h("p", { class: "loading" }, "Loading");
  page.tellAlong = alongTeller(page, layout);
  fill(root, loading, layout);

  let latest = null;
  let left = false;

  async function look() {
    if (left) return;
    try {
      take(await load(planUri));
    } catch (error) {
      if (!page.shown && !left) fill(root, h("h1", {}, "This plan cannot be shown"), h("p", { class: "problem" }, error.message));
    }
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
    if (!before || !isUnchanged(before, latest)) {
      contentChanged();
      for (const part of parts) part.show(latest, before);
    }
    keepSeen(planUri, latest.item.plan.revision);
    decide.blockedBy("newer", "");
  }

  function tellOfNewer() {
    const { revision } = page.shown.item.plan;
    decide.blockedBy("newer", `This is revision ${revision}; there is a newer one.`);
    notice.tell(latest, page.shown);
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
    if (!isSo) {
      page.tellAlong();
      focusPage();
    }
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
    others.leave();
    decide.leave();
  };
}
