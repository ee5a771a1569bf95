"""Whoever reads a page of the docs, and does what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.cookbook import Command
from tests.helpers.conditions import PATIENCE

SEARCH_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
TOKENS = Path(".local", "share", "plangate", "tokens")
"""Where pages find tokens in the reader's home."""
KEPT = ("PYTHONPATH", "LOGNAME")


def at_home(home: Path, tokens: Path | None = None) -> dict[str, str]:
    """The environment of a reader who lives there; with the tokens of a gate that leaves them elsewhere."""
    folder = home / TOKENS
    if tokens is not None and not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.symlink_to(tokens)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {"PATH": SEARCH_PATH, "HOME": str(home), "PLANGATE_TOKEN_DIR": str(folder), **kept}


def run(text: str, folder: Path, environment: dict[str, str]) -> str:
    """What a shell prints."""
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    return done.stdout.decode()


def check(command: Command, output: str) -> None:
    """It must be what the page says that the command prints."""
    expected = "\n".join(command.printed)
    assert command.prints(output), f"$ {command.text}\nshould print\n{expected}\nand prints\n{output}"


def follow(command: Command, folder: Path, environment: dict[str, str]) -> str:
    """What the command prints, which is checked."""
    output = run(command.text, folder, environment)
    check(command, output)
    return output
