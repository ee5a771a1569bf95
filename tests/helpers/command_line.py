"""The `plangate` command in a process of its own, as people and scripts call it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

PATIENCE = 30.0
"""Seconds after which something that should have happened long ago has failed."""

# A shell that starts tests in the background has them ignore SIGINT, which a child would inherit.
MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from plangate.cli import main
sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended. Output is decoded and nothing else: a carriage return is still one."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on standard error of a command that failed as it should."""
        assert self.code == 1, self
        assert self.out == ""
        assert self.err.startswith("plangate: "), self.err
        assert self.err.count("\n") == 1, self.err
        assert self.err.endswith("\n")
        return self.err.removeprefix("plangate: ").removesuffix("\n")


class Running:
    """A command that was started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    @property
    def is_over(self) -> bool:
        return self.process.poll() is not None

    def line(self) -> str:
        """The next line that it prints."""
        return _line_of(self.process.stdout)

    def error_line(self) -> str:
        """The next line that it prints on standard error."""
        return _line_of(self.process.stderr)

    def done(self) -> Done:
        """How it ends, with what it printed since the last line that was read."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return Done(self.process.returncode, out.decode(), err.decode())


def _line_of(stream: IO[bytes] | None) -> str:
    assert stream
    ready, _, _ = select.select([stream], [], [], PATIENCE)
    assert ready, "it prints nothing"
    return stream.readline().decode().removesuffix("\n")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Runs commands against the gate at ``target``, with ``variables`` beside those of the tests."""

    target: str
    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", main: str = MAIN) -> Done:
        """Run a command to its end, without a terminal."""
        done = subprocess.run(
            self.command(*arguments, main=main),
            input=stdin,
            capture_output=True,
            check=False,
            cwd=self.folder,
            env=self.environment(),
            timeout=PATIENCE,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextmanager
    def started(self, *arguments: str, main: str = MAIN) -> Iterator[Running]:
        """Start a command; whatever happens, it is over afterwards."""
        with subprocess.Popen(
            self.command(*arguments, main=main),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self.folder,
            env=self.environment(),
        ) as process:
            try:
                yield Running(process)
            finally:
                process.kill()

    def command(self, *arguments: str | bytes, main: str = MAIN) -> list[str | bytes]:
        return [sys.executable, "-c", main, *arguments]

    def environment(self) -> Mapping[str, str]:
        """That of the tests, without what would change how commands look and behave."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name == "PLANGATE_TOKEN_DIR"
            or (not name.startswith("PLANGATE_") and name != "PYTHONUNBUFFERED")
        }
        settings = {"PLANGATE_TARGET": self.target, "PYTHONUTF8": "1", "COLUMNS": "200", "NO_COLOR": "1"}
        return {**kept, **settings, **self.variables}
