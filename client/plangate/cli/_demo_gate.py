"""A gate for a demonstration: in a folder of its own, which is gone afterwards, and so is the gate."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from plangate.cli._gate import CommandError

ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP_SECONDS: Final = 10.0
ANYWHERE: Final = "127.0.0.1:0"


class Place(NamedTuple):
    """Where the gate is, and everything that it and the agent write."""

    folder: Path
    address: str
    page: str
    """The link that signs one browser in."""
    unset: Sequence[str]
    """Variables of the person's own that would lead elsewhere."""

    def commands(self, *arguments: str) -> list[str]:
        """What to type in another terminal, to be at this gate and run a command."""
        unset = [f"unset {' '.join(self.unset)}"] if self.unset else []
        where = (
            f"PLANGATE_TARGET={self.address} PLANGATE_TOKEN_DIR={shlex.quote(str(self.folder / 'tokens'))}"
        )
        return [*unset, f"export {where}", shlex.join(["plangate", *arguments])]


@contextmanager
def demo_gate() -> Iterator[Place]:
    """The gate, open. From here on this process finds it, and none other."""
    folder = Path(tempfile.mkdtemp(prefix="plangate-demo-"))
    tempfile.tempdir = str(folder)  # for whatever is made on the way, too
    try:
        own = _forget_own_settings()
        with _server(folder) as process:
            address, page = _addresses(process, folder)
            os.environ.update(PLANGATE_TARGET=address, PLANGATE_TOKEN_DIR=str(folder / "tokens"))
            yield Place(folder, address, page, own)
    finally:
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)


def _forget_own_settings() -> list[str]:
    """A gate of the person's own, its token and its policy have no part in this."""
    own = sorted(name for name in os.environ if name.startswith("PLANGATE_"))
    for name in own:
        del os.environ[name]
    return own


@contextmanager
def _server(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "plangate_server", "--listen", ANYWHERE, "--web-listen", ANYWHERE]
    command += ["--database", f"sqlite:///{folder / 'plangate.db'}", "--token-dir", str(folder / "tokens")]
    with (
        (folder / "gate.log").open("wb") as log,
        _ended_by_signals(folder) as ending,
        # In a session of its own: Ctrl-C is for us, who then end it.
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, start_new_session=True) as process,
    ):
        ending.begin(process)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


class _Ending:
    """Whatever ends us, wherever we are, ends the gate and removes the folder: nobody else would."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted: int | None = None
        """The signal that came while the gate was being started."""

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """There is a gate from now on."""
        self._process = process
        if self._wanted is not None:
            self(self._wanted, None)

    def __call__(self, number: int, _: FrameType | None) -> None:
        self._wanted = number
        if self._process is not None:
            self._process.kill()
            shutil.rmtree(self._folder, ignore_errors=True)
            os._exit(128 + number)


@contextmanager
def _ended_by_signals(folder: Path) -> Iterator[_Ending]:
    ending = _Ending(folder)
    before = {number: signal.signal(number, ending) for number in ENDINGS}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _addresses(process: subprocess.Popen[bytes], folder: Path) -> tuple[str, str]:
    """Of the gate and of its page, as the server tells them, in this order."""
    assert process.stdout
    address = ""
    for line in process.stdout:
        match line.decode().split():
            case ["gRPC", told]:
                address = told
            case ["review", page, *_]:
                return address, page
    log = (folder / "gate.log").read_text(encoding="utf-8", errors="replace").strip()
    raise CommandError(
        f"the gate of the demonstration did not open: {log.splitlines()[-1] if log else 'no word'}"
    )
