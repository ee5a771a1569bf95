/** Says whether the page still hears of what happens, and since when it does not. */

import { banner } from "./banners.js";
import { say } from "./dom.js";
import { clock } from "./times.js";

const PATIENCE = 1000; // a server that restarts is back by then, and nobody needs to know

let lostAt = null;
let telling = 0;

export function showLine(state) {
  const line = document.getElementById("line");
  line.dataset.state = state;
  if (state === "live") {
    clearTimeout(telling);
    lostAt = null;
    banner("line");
    say(line, "Live");
  } else if (lostAt === null) {
    lostAt = Date.now();
    say(line, "Not connected");
    telling = setTimeout(tell, PATIENCE);
  }
}

function tell() {
  banner(
    "line",
    "bad",
    `No connection to the gate since ${clock(lostAt)}. What you see may be old; it catches up by itself.`,
  );
}
