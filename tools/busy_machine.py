"""Runs a command while every core is busy with something else: `python -m tools.busy_machine COMMAND...`.

The load starts before the command and ends with it, whatever happens. The exit code is the command's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

# Ends by itself when nobody holds the other end of its standard input any more.
BUSY = """
import select, sys
while not select.select([sys.stdin], [], [], 0)[0]:
    sum(range(1_000_000))
"""


@contextmanager
def busy_core() -> Iterator[None]:
    """A process that takes all it can get of one core."""
    with subprocess.Popen([sys.executable, "-S", "-c", BUSY], stdin=subprocess.PIPE) as process:
        try:
            yield
        finally:
            process.kill()


def main(command: list[str]) -> int:
    if not command:
        print("usage: python -m tools.busy_machine COMMAND...", file=sys.stderr)
        return 2
    cores = os.cpu_count() or 1
    with ExitStack() as stack:
        for _ in range(cores):
            stack.enter_context(busy_core())
        print(f"{cores} processes keep {cores} cores busy", flush=True)
        begun = time.monotonic()
        code = subprocess.run(command, check=False).returncode
    print(f"{' '.join(command)}: exit {code} after {time.monotonic() - begun:.0f} s on a busy machine")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
