/** The log, page by page from its newest entry; and what has been added to it since. */

import { listEvents } from "../gate/calls.js";

const PAGE = 50;

export function reader(filters) {
  let before = "";
  let newest = "";

  /** The next older entries, newest first, and whether they are the last. A page of the gate may be short. */
  async function older() {
    const entries = [];
    for (;;) {
      const page = await listEvents({ ...filters, cursor: before, newestFirst: true, pageSize: PAGE });
      const found = page.entries ?? [];
      newest ||= found[0]?.event.cursor ?? page.nextCursor;
      before = page.nextCursor;
      entries.push(...found);
      if (!found.length || entries.length >= PAGE) return { entries, isEnd: !found.length };
    }
  }

  /** What came after the newest that is known, oldest first. */
  async function newer() {
    const page = await listEvents({ ...filters, cursor: newest, pageSize: PAGE });
    newest = page.nextCursor;
    return page.entries ?? [];
  }
  return { older, newer };
}
