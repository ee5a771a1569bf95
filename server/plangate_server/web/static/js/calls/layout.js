/**
 * JSON over several lines. Only the spaces between its parts change: names that come twice, numbers and escapes stay
 * as they were sent, because a reader that made values of them would hide some of that.
 */

const STEP = "  ";
const OPENING = /^[[{]$/;
const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Null if it is no JSON. */
export function laidOut(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  let written = "";
  const parts = text.match(PARTS) ?? [];
  const newLine = () => `\n${STEP.repeat(depth)}`;
  parts.forEach((part, index) => {
    const begins = OPENING.test(parts[index - 1] ?? "");
    if (part === "}" || part === "]") {
      depth -= 1;
      written += begins ? part : newLine() + part;
    } else {
      if (begins) written += newLine();
      written += part;
      if (part === "{" || part === "[") depth += 1;
      else if (part === ",") written += newLine();
      else if (part === ":") written += " ";
    }
  });
  return written;
}
