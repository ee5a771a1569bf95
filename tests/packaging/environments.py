"""Builds of the project and clean environments to install them into."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.conditions import PATIENCE

ROOT = Path(__file__).resolve().parents[2]

Completed = subprocess.CompletedProcess[str]


def run(
    command: list[str], *, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 4 * PATIENCE
) -> Completed:
    """Run a command without what this process's own environment would leak into it."""
    leaks = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    base = {name: value for name, value in os.environ.items() if name not in leaks}
    return subprocess.run(
        command,
        cwd=cwd,
        env=base | dict(env or {}),
        timeout=timeout,
        check=False,
        capture_output=True,
        text=True,
    )


def must(done: Completed) -> str:
    """The output of a command that has to succeed; its words are the failure message otherwise."""
    assert done.returncode == 0, f"{done.args} exited {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Uv:
    """The installer that these tests use: fast, and able to resolve to the lowest versions."""

    binary: str
    index: str | None

    def __call__(self, *arguments: str | Path) -> str:
        env = {"UV_DEFAULT_INDEX": self.index} if self.index else {}
        command = [self.binary, *map(str, arguments)]
        return must(run([*command, "--no-config", "--quiet"], cwd=ROOT, env=env))


def find_uv() -> Uv | None:
    """The one that is installed beside this interpreter, or else any."""
    binary = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    return Uv(binary, pip_index()) if binary else None


def pip_index() -> str | None:
    """The registry pip is configured for; uv does not read pip's configuration."""
    listed = run([sys.executable, "-m", "pip", "config", "list"], cwd=ROOT).stdout
    found = re.search(r"\.index-url='(.+)'$", listed, re.MULTILINE)
    return found[1] if found else None


@dataclass(frozen=True)
class Environment:
    """A virtual environment with this interpreter and nothing in it until `install`."""

    folder: Path
    uv: Uv

    @classmethod
    def create(cls, folder: Path, uv: Uv) -> "Environment":
        uv("venv", "--python", sys.executable, folder)
        return cls(folder, uv)

    def install(self, *arguments: str | Path) -> None:
        self.uv("pip", "install", "--python", self.folder, *arguments)

    def versions(self) -> dict[str, str]:
        listed = json.loads(self.uv("pip", "list", "--python", self.folder, "--format", "json"))
        return {package["name"]: package["version"] for package in listed}

    def run(self, program: str, *arguments: str, cwd: Path, timeout: float = PATIENCE) -> Completed:
        command = [str(self.folder / "bin" / program), *arguments]
        return run(command, cwd=cwd, env={"PYTHONDONTWRITEBYTECODE": "1"}, timeout=timeout)

    def python(self, code: str, *, cwd: Path) -> str:
        """What the code prints, with cwd first on sys.path as in a user's own project."""
        return must(self.run("python", "-c", code, cwd=cwd)).strip()
