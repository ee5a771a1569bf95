/** Looks that are asked for more often than they can be taken: one at a time, and the last after the last question. */

export function again(look) {
  let isWanted = false;
  let underWay = null;

  async function untilNobodyAsks() {
    try {
      while (isWanted) {
        isWanted = false;
        await look();
      }
    } finally {
      underWay = null;
    }
  }

  return () => {
    isWanted = true;
    underWay ??= untilNobodyAsks();
    return underWay;
  };
}
