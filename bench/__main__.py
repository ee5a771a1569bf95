"""``python -m bench``: measure, print the tables, and keep them as Markdown."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path
from typing import Final

from bench import machine, report
from bench.measurements import MEASUREMENTS
from bench.run import measure

RESULTS: Final = Path(__file__).resolve().parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure side by side.")
    parser.add_argument("--seconds", type=float, default=1.25, help="per sample (default %(default)s)")
    parser.add_argument(
        "--repeats", type=int, default=5, help="samples for each figure (default %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, default=RESULTS, help="folder for core.md (default bench/results)"
    )
    given = parser.parse_args()
    if given.seconds <= 0 or given.repeats < 1:
        parser.error("--seconds must be more than 0, --repeats at least 1")
    # Like Ctrl-C: the servers are stopped first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        text = asyncio.run(run(given.seconds, given.repeats))
    except KeyboardInterrupt:
        return 130
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "core.md").write_text(text, encoding="utf-8")
    return 0


async def run(seconds: float, repeats: int) -> str:
    """Every measurement, printed as soon as it is done; gives all that was printed."""
    contenders = list(dict.fromkeys(c for measurement in MEASUREMENTS for c in measurement.contenders))
    command = f"python -m bench --seconds {seconds:g} --repeats {repeats}"
    parts = [report.heading(command, machine.description(), contenders)]
    print(parts[0], flush=True)
    for measurement in MEASUREMENTS:
        samples = await measure(measurement, seconds=seconds, repeats=repeats)
        parts.append(report.table(measurement, samples))
        print(parts[-1], flush=True)
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
