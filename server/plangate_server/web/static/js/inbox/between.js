/** From one thing that waits to the next, plans and tool calls alike. */

import { callAddress, planAddress } from "../gate/addresses.js";
import { store } from "../gate/store.js";
import { go } from "../ui/router.js";

export function addressOf({ plan, told }) {
  return plan ? planAddress(plan.planUri) : callAddress(told.prompt);
}

/** What names it: the plan's uri, or the address of the call. */
export function keyOf({ plan, told }) {
  return plan ? plan.planUri : callAddress(told.prompt);
}

/** Keys for the page that shows the one with this key. */
export function between(key) {
  const move = (step) => {
    const waiting = store.everyWaiting();
    const at = waiting.findIndex((one) => keyOf(one) === key);
    const next = at < 0 ? waiting[0] : waiting[at + step];
    if (next) go(addressOf(next));
  };
  return [
    { key: "j", words: "Next that waits", act: () => move(1) },
    { key: "k", words: "The one before", act: () => move(-1) },
    { key: "u", words: "Up to the inbox", act: () => go("/") },
  ];
}
