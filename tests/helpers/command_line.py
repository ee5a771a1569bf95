"""The `plangate` command, as people and scripts call it.

``plangate("pending")`` runs inside the tests, where it costs no interpreter of its own. Where a process is
the point, as for signals, for what is loaded, or for a command that goes on beside the test, the test says
so: ``plangate.process``, ``plangate.started``, and ``at_terminal`` of ``tests.helpers.terminal``.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO

from tests.helpers.conditions import PATIENCE

# A shell that starts tests in the background has them ignore SIGINT, which a child would inherit.
MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from plangate.cli import main
sys.exit(main())
"""
OWN_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those that commands handle."""


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

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"") -> Done:
        """Run a command to its end inside the tests, without a terminal.

        Not from a thread, where only a process will do: the folder and the variables of a command are those
        of all threads, and an event loop goes on in another one.
        """
        in_main_thread = threading.current_thread() is threading.main_thread()
        assert in_main_thread, "a command in a thread would change the folder of all: use plangate.process"
        with _standard_files(stdin) as (out, err):
            with chdir(self.folder), _environment(self.environment()), _own_state():
                code = _exit_code([os.fsdecode(each) for each in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            return Done(code, out.getvalue().decode(), err.getvalue().decode())

    def process(self, *arguments: str | bytes, stdin: bytes = b"", main: str = MAIN) -> Done:
        """Run a command to its end in an interpreter of its own; what it starts prints there, too."""
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
        """Start a command in a process; whatever happens, it is over afterwards."""
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


def _exit_code(arguments: list[str]) -> int:
    # Only here, where the environment is put back: it sets a variable for its process.
    from plangate.cli import main  # noqa: PLC0415

    try:
        return main(arguments)
    except SystemExit as end:
        if not isinstance(end.code, int):
            raise
        return end.code


@contextmanager
def _standard_files(stdin: bytes) -> Iterator[tuple[BytesIO, BytesIO]]:
    """As those of an interpreter are without a terminal; gives what is written to the last two."""
    before, (out, err) = (sys.stdin, sys.stdout, sys.stderr), (BytesIO(), BytesIO())
    sys.stdin = TextIOWrapper(BytesIO(stdin), "utf-8", "surrogateescape", newline="\n")
    sys.stdout = TextIOWrapper(out, "utf-8", "surrogateescape", newline="\n")
    sys.stderr = TextIOWrapper(err, "utf-8", "backslashreplace", newline="\n", line_buffering=True)
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    """The variables, while it lasts. Only those are touched that differ: threads of gRPC read others."""
    before = dict(os.environ)
    _become(wanted)
    try:
        yield
    finally:
        _become(before)


def _become(wanted: Mapping[str, str]) -> None:
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


@contextmanager
def _own_state() -> Iterator[None]:
    """What else a command sets, or keeps, for the process that it takes for its own."""
    from plangate.cli._style import has_colour  # noqa: PLC0415

    with ExitStack() as undone, warnings.catch_warnings():
        # A command of the server is run as a program, even if a test has imported it as a module.
        warnings.filterwarnings("ignore", ".*found in sys.modules after import of package", RuntimeWarning)
        for number in OWN_SIGNALS:
            undone.callback(signal.signal, number, signal.getsignal(number))
        undone.callback(setattr, sys, "argv", sys.argv)
        # Where temporary files go is found out once in a process, and depends on a variable.
        undone.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = None
        has_colour.cache_clear()
        undone.callback(has_colour.cache_clear)
        yield
