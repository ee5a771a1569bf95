"""How long a command takes, from its start to its end, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from typing import Final

from bench.process import ROOT
from bench.token import TOKEN

PLANGATE: Final = ("-c", "import sys; from plangate.cli import main; sys.exit(main())")
"""As the installed script starts it."""


def at(address: str) -> Mapping[str, str]:
    """The environment of whoever uses that gate."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PLANGATE_")}
    return {**own, "PLANGATE_TARGET": address, "PLANGATE_TOKEN": TOKEN}


async def seconds(environment: Mapping[str, str], *arguments: str) -> float:
    """Of ``python`` with the arguments, whose output nobody reads; it must end well."""
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate()
    taken = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"{arguments} ended with {process.returncode}:\n{complaint.decode()}")
    return taken
