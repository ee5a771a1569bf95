/** Which entries are shown. It stands in the address, so that it can be kept and sent. */

import { logAddress, planUriOf } from "../gate/addresses.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { go } from "../ui/router.js";
import { ALL_KINDS, typesOf } from "./kinds.js";
import { planName } from "./names.js";

export function chosenFilters() {
  const chosen = new URLSearchParams(location.search);
  return { plan: chosen.get("plan") ?? "", session: chosen.get("session") ?? "", kind: chosen.get("kind") ?? "" };
}

/** The same, as the gate is asked. */
export function asked({ plan, session, kind }) {
  return {
    ...(plan && { planUri: planUriOf(plan) }),
    ...(session && { sessionId: session }),
    types: typesOf(kind),
  };
}

export function filterBar(chosen) {
  const kinds = h(
    "select",
    { "aria-label": "Kind of entries", on: { change: () => go(logAddress({ ...chosen, kind: kinds.value })) } },
    [["", "Everything"], ...ALL_KINDS].map(([kind, label]) => h("option", { value: kind, selected: kind === chosen.kind }, label)),
  );
  return h(
    "div",
    { class: "filters" },
    kinds,
    chosen.plan && taken("plan", planLabel(chosen.plan), { ...chosen, plan: "" }),
    chosen.session && taken("session", marked(chosen.session), { ...chosen, session: "" }),
  );
}

function planLabel(plan) {
  const label = h("span", {}, marked(plan));
  planName(planUriOf(plan)).then((name) => fill(label, marked(name)), () => fill(label, marked(plan)));
  return label;
}

function taken(kind, label, without) {
  return h(
    "span",
    { class: "chip busy" },
    `only ${kind} `,
    label,
    h("a", { href: logAddress(without), "aria-label": `Entries of every ${kind}`, title: `Entries of every ${kind}` }, "✕"),
  );
}
