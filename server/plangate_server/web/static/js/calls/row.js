/** One tool call of a list: what would be done, who asks, since when or what became of it. */

import { callAddress } from "../gate/addresses.js";
import { fill, h } from "../ui/dom.js";
import { marked } from "../ui/hidden.js";
import { clock, since, until } from "../ui/times.js";
import { chip } from "../ui/words.js";
import { answerOf, answerTone, beginning, kindOf } from "./words.js";

/** A row of the inbox shows the prompt that a session waits for. */
export function promptRow() {
  return row(({ prompt, queueLength }) => {
    const behind = (queueLength ?? 1) - 1;
    return [
      prompt,
      behind > 0 && h("span", {}, `${behind.toLocaleString()} more behind it`),
      [
        prompt.expireTime && h("span", { class: "chip waits" }, "expires ", until(prompt.expireTime)),
        h("span", { class: "waited" }, since(prompt.requestTime)),
      ],
    ];
  });
}

/** A row of a session shows a call, whatever became of it. */
export function callRow() {
  return row((call) => [
    call,
    h("span", {}, `asked ${clock(call.requestTime)}`),
    chip(marked(answerOf(call)), answerTone(call)),
  ]);
}

function row(read) {
  const link = h("a", { class: "row" });
  const item = h("li", {}, link);
  let shown = "";
  item.show = (told) => {
    const version = JSON.stringify(told);
    if (version === shown) return;
    shown = version;
    const [call, fact, standing] = read(told);
    link.href = callAddress(call);
    fill(
      link,
      h("span", { class: "name command" }, beginning(call)),
      h("span", { class: "goal" }, marked(call.message ?? call.prompt ?? "")),
      h("span", { class: "facts" }, facts(call), fact),
      h("span", { class: "standing" }, standing),
    );
  };
  return item;
}

function facts(call) {
  return [
    h("span", {}, `${kindOf(call)} `, h("code", {}, marked(call.toolName))),
    call.agentId && h("span", {}, "by ", h("b", {}, marked(call.agentId))),
    h("span", {}, "session ", marked(call.sessionId)),
  ];
}

/** What to read for a list that is narrowed down. */
export function wordsOf({ prompt, sessionId }) {
  return [prompt.command, prompt.toolName, prompt.message, prompt.agentId, sessionId].join("\n");
}
