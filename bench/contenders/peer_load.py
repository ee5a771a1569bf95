"""A peer's callers: they run on the peer's own interpreter, and take their orders from here."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from google.protobuf.json_format import MessageToJson

from bench import background
from bench.parts import Open, Sample, Sampler
from bench.peers.environment import Environment
from bench.plan import ARGS
from bench.process import ROOT

PATIENCE_SECONDS: Final = 60
"""How long a peer may take to get ready, or over what it was asked, before the run is given up."""
LINE_BYTES: Final = 2**26
"""Room for the latencies of one sample."""


@dataclass(frozen=True, slots=True)
class _Worker:
    module: str
    process: asyncio.subprocess.Process
    log: Path

    async def line(self, seconds: float) -> str:
        """The next one that it prints, within that time."""
        assert self.process.stdout
        try:
            async with asyncio.timeout(seconds):
                line = await self.process.stdout.readline()
        except TimeoutError:
            said = background.tail(self.log)
            raise RuntimeError(f"{self.module} said nothing for {seconds:g} seconds:\n{said}") from None
        if not line:
            ended = await self.process.wait()
            raise RuntimeError(f"{self.module} ended with {ended}:\n{background.tail(self.log)}")
        return line.decode()

    async def sample(self, callers: int, seconds: float) -> Sample:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"callers": callers, "seconds": seconds}).encode() + b"\n")
        return Sample(**json.loads(await self.line(2 * seconds + PATIENCE_SECONDS)))


def loaded_by(environment: Environment, module: str) -> Open:
    """Callers who do the module's round trip, with what is installed in the environment."""

    @asynccontextmanager
    async def connect(address: str) -> AsyncIterator[Sampler]:
        with tempfile.TemporaryDirectory(prefix="plangate-bench-") as folder:
            plan, log = Path(folder) / "plan.json", Path(folder) / "worker.log"
            plan.write_text(MessageToJson(ARGS), encoding="utf-8")
            with log.open("wb") as file:
                process = await asyncio.create_subprocess_exec(
                    *(environment.program("python"), "-m", module, str(plan), address),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=file,
                    cwd=ROOT,
                    limit=LINE_BYTES,
                )
            try:
                worker = _Worker(module, process, log)
                if (line := await worker.line(PATIENCE_SECONDS)) != "ready\n":
                    raise RuntimeError(f"{module} said {line!r} before it was ready")
                yield worker.sample
            finally:
                await background.stopped(process)

    return connect
