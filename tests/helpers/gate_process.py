"""A gate in a process of its own, as an operator starts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 30.0
"""Seconds after which something that should have happened long ago has failed."""


@contextmanager
def gate_process(
    folder: Path, database: str = "", policy: Path | None = None, listen: str = "127.0.0.1:0"
) -> Iterator[str]:
    """The gate, open, with its log in the folder, and its database, too, if no URL is given; gives the
    address it listens on.
    """
    command = [sys.executable, "-m", "plangate_server", "--listen", listen]
    command += ["--web-listen", "127.0.0.1:0"]
    command += ["--database", database or f"sqlite:///{folder / 'plangate.db'}"]
    command += ["--policy", str(policy)] if policy else []
    log = folder / "gate.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=folder) as process,
    ):
        try:
            yield _address(process, log)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    assert process.stdout
    for line in process.stdout:
        match line.decode().split():
            case ["gRPC", address]:
                return address
    raise AssertionError(f"the gate did not open:\n{log.read_text(encoding='utf-8')}")
