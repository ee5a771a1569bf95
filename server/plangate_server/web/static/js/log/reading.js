/** The log, page by page from its newest entry; and what has been added to it since. */

import { listEvents } from "../gate/calls.js";

const PAGE = 50;

export function reader(filters) {
  let before = "";
  let newest = "";

  /** The next older entries, newest first, and whether there are no more. */
  function older() {
    return some(async () => {
      const page = await listEvents({ ...filters, cursor: before, newestFirst: true, pageSize: PAGE });
      const found = page.entries ?? [];
      newest ||= found[0]?.event.cursor ?? page.nextCursor;
      before = page.nextCursor;
      return found;
    });
  }

  /** What came after the newest that is known, oldest first, and whether there is no more. */
  function newer() {
    return some(async () => {
      const page = await listEvents({ ...filters, cursor: newest, pageSize: PAGE });
      newest = page.nextCursor;
      return page.entries ?? [];
    });
  }

  /** Go on from this entry: what is beyond it is no longer shown. */
  const olderThan = (cursor) => (before = cursor);
  const newerThan = (cursor) => (newest = cursor);
  return { older, newer, olderThan, newerThan };
}

/** A page of the gate may be short. */
async function some(next) {
  const entries = [];
  for (;;) {
    const found = await next();
    entries.push(...found);
    if (!found.length || entries.length >= PAGE) return { entries, isEnd: !found.length };
  }
}
