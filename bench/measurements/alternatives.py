"""The same durable round trip on what one would pick instead.

``python -m bench.measurements.alternatives`` takes this one alone; the first time, it installs the peers.
"""

from __future__ import annotations

import argparse
import asyncio
import signal

from bench import report
from bench.contenders.floor import FLOOR
from bench.contenders.peers import PEERS
from bench.contenders.sqlite import SQLITE
from bench.measurements.round_trip import ROUND_TRIP
from bench.parts import Measurement
from bench.run import measure, running

ALTERNATIVES = Measurement(
    "Durable approval round trip, and what one would pick instead",
    "An agent asks for approval of the plan; a person sees it and approves; the agent gets the decision. "
    "Each keeps it as durably as it can on one machine. Of a peer, `load` is its library and worker, too.",
    {**{ours: ROUND_TRIP.contenders[ours] for ours in (FLOOR, SQLITE)}, **PEERS},
)


def main() -> None:
    parser = argparse.ArgumentParser(description=ALTERNATIVES.name)
    parser.add_argument("--seconds", type=float, default=1.5, help="per sample (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="for each figure (default %(default)s)")
    given = parser.parse_args()
    # Like Ctrl-C: the servers are stopped first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(asyncio.run(_run(given.seconds, given.repeats)))


async def _run(seconds: float, repeats: int) -> str:
    async with running([ALTERNATIVES]) as addresses:
        samples = await measure(ALTERNATIVES, addresses, seconds=seconds, repeats=repeats)
    return report.table(ALTERNATIVES, samples)


if __name__ == "__main__":
    main()
