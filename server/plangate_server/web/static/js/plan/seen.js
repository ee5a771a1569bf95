/** Which revision of a plan this browser showed last, to show what has changed since. */

const NAME = "plangate-seen";
const MOST = 500;

function all() {
  try {
    return new Map(JSON.parse(localStorage.getItem(NAME)));
  } catch {
    return new Map(); // nothing was kept, or by somebody else
  }
}

export function seenBefore(planUri) {
  return all().get(planUri) ?? "";
}

export function keepSeen(planUri, revision) {
  const seen = all();
  seen.delete(planUri);
  seen.set(planUri, revision);
  localStorage.setItem(NAME, JSON.stringify([...seen].slice(-MOST)));
}
