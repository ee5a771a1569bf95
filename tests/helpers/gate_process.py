"""A gate in a process of its own, as an operator starts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.conditions import PATIENCE
from tests.helpers.sqlite_file import new_database


@dataclass(frozen=True)
class Opened:
    """What the gate prints when it has opened."""

    grpc: str
    web: str
    link: str
    """The address that signs one browser in."""


@contextmanager
def gate_process(
    folder: Path, database: str = "", policy: Path | None = None, listen: str = "127.0.0.1:0"
) -> Iterator[str]:
    """The gate, open, with its log in the folder, and its database, too, if no URL is given; gives the
    address it listens on.
    """
    with opened_gate(folder, database, policy, listen) as opened:
        yield opened.grpc


@contextmanager
def opened_gate(
    folder: Path,
    database: str = "",
    policy: Path | None = None,
    listen: str = "127.0.0.1:0",
    web_listen: str = "127.0.0.1:0",
) -> Iterator[Opened]:
    """The same, with everything that it prints; at these addresses, if it matters at which."""
    command = [sys.executable, "-m", "plangate_server", "--listen", listen, "--web-listen", web_listen]
    command += ["--database", database or f"sqlite:///{new_database(folder / 'plangate.db')}"]
    command += ["--policy", str(policy)] if policy else []
    log = folder / "gate.log"
    with (
        log.open("ab") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=folder) as process,
    ):
        try:
            yield _printed(process, log)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _printed(process: subprocess.Popen[bytes], log: Path) -> Opened:
    assert process.stdout
    grpc = ""
    for line in process.stdout:
        match line.decode().split():
            case ["gRPC", address]:
                grpc = address
            case ["review", link, *_]:
                return Opened(grpc, link.split("/")[2], link)
    raise AssertionError(f"the gate did not open:\n{log.read_text(encoding='utf-8')}")
