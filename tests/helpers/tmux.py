"""A real terminal, in tmux: what is on its screen, and what is typed there."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers.command_line import CommandLine
from tests.helpers.conditions import PATIENCE, look_until


class Tmux:
    """A pane of 80 by 24 in a server of its own."""

    def __init__(self, socket: Path) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        self.ended = socket.with_name("ended")

    def run(self, *arguments: str, plangate: CommandLine | None = None) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments],
            check=True,
            capture_output=True,
            cwd=plangate.folder if plangate else None,
            env={**plangate.environment()} if plangate else None,
            timeout=PATIENCE,
        )
        return done.stdout.decode()

    @property
    def screen(self) -> str:
        return self.run("capture-pane", "-p")

    def sees(self, *texts: str) -> None:
        """Look at the screen until it shows all of these."""
        try:
            look_until(lambda: all(text in self.screen for text in texts))
        except TimeoutError:
            raise AssertionError(f"no {' and '.join(texts)} on\n{self.screen}") from None

    def ends(self) -> int:
        """Wait until the command is over; its exit code."""
        look_until(self.ended.exists)
        return int(self.ended.read_text())

    def presses(self, *keys: str) -> None:
        """Keys by the names that tmux has for them."""
        self.run("send-keys", *keys)

    def types(self, text: str) -> None:
        self.run("send-keys", "-l", text)


@contextmanager
def in_tmux(plangate: CommandLine, *arguments: str) -> Iterator[Tmux]:
    """A command in a terminal; when it has ended, its screen stays."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not on the PATH")
    tmux = Tmux(plangate.folder / "tmux")
    command = [str(each) for each in plangate.command(*arguments)]
    tmux.run("new-session", "-d", "-x", "80", "-y", "24", "cat", plangate=plangate)
    try:
        tmux.run("set-option", "-g", "remain-on-exit", "on")
        # Into a file: the screen of a pane that is dead does not always have the last words.
        recorded = 'file=$1; shift; "$@"; echo $? > "$file.new"; mv "$file.new" "$file"'
        tmux.run("respawn-pane", "-k", "sh", "-c", recorded, "sh", str(tmux.ended), *command)
        yield tmux
    finally:
        tmux.run("kill-server")
