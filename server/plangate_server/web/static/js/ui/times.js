/** Times in words. Those that say how long ago something was keep counting. */

import { h } from "./dom.js";

const STEPS = [
  [60, 1, "s"],
  [3600, 60, "min"],
  [86400, 3600, "h"],
  [Infinity, 86400, "d"],
];

export function span(seconds) {
  const [, unit, name] = STEPS.find(([below]) => seconds < below);
  return `${Math.max(0, Math.floor(seconds / unit))} ${name}`;
}

export function clock(time) {
  const at = new Date(time);
  const day = at.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
  return at.toLocaleString([], { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** "12 min ago", and when exactly to whoever points at it. */
export function since(time) {
  return counting(time, "since");
}

/** "in 3 h". */
export function until(time) {
  return counting(time, "until");
}

/** A span of protobuf's JSON, which is seconds with an s behind. */
export function duration(text) {
  return span(Number.parseFloat(text));
}

function counting(time, kind) {
  const element = h("time", { datetime: time, title: new Date(time).toLocaleString(), "data-counts": kind });
  count(element);
  return element;
}

function count(element) {
  const away = (Date.parse(element.dateTime) - Date.now()) / 1000;
  const words =
    element.dataset.counts === "since"
      ? -away < 5
        ? "just now"
        : `${span(-away)} ago`
      : away > 0
        ? `in ${span(away)}`
        : "now";
  if (element.textContent !== words) element.textContent = words;
}

export function keepCounting() {
  setInterval(() => document.querySelectorAll("time[data-counts]").forEach(count), 1000);
}
