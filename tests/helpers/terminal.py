"""A terminal, and the person in front of it."""

from __future__ import annotations

import codecs
import os
import pty
import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.helpers.command_line import MAIN, CommandLine, Done
from tests.helpers.conditions import PATIENCE

CTRL_C, CTRL_D = "\x03", "\x04"

# Only the terminal that controls a process can interrupt it.
AT_TERMINAL = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n{MAIN}"


class Terminal:
    """What a command shows on its terminal, and what is typed there."""

    def __init__(self, process: subprocess.Popen[bytes], keyboard: int) -> None:
        self._process = process
        self._keyboard = keyboard
        self._shown = b""

    @property
    def screen(self) -> str:
        """Everything that was shown, with what was typed as the terminal echoes it."""
        # What has come so far may end within a character.
        return codecs.getincrementaldecoder("utf-8")().decode(self._shown).replace("\r\n", "\n")

    def wait_for(self, text: str, times: int = 1) -> None:
        """Watch the screen until it shows the text, or has shown it so often."""
        while self.screen.count(text) < times:
            assert self._watch(), f"it ended without {text!r}:\n{self.screen}"

    def wait_for_line(self, beginning: str) -> None:
        """Watch the screen until it shows the whole of a line that begins so, which comes in parts."""
        whole = re.compile(rf"^{re.escape(beginning)}.*\n", re.MULTILINE)
        while not whole.search(self.screen):
            assert self._watch(), f"it ended without a line {beginning!r}:\n{self.screen}"

    def type(self, keys: str) -> None:
        os.write(self._keyboard, keys.encode())

    def send_signal(self, number: int) -> None:
        self._process.send_signal(number)

    def exit_code(self) -> int:
        """Watch until the command is over."""
        while self._watch():
            pass
        return self._process.wait(PATIENCE)

    def _watch(self) -> bool:
        """Look once; False when the command has left the terminal."""
        ready, _, _ = select.select([self._keyboard], [], [], PATIENCE)
        assert ready, f"nothing happens any more:\n{self.screen}"
        try:
            shown = os.read(self._keyboard, 65536)
        except OSError:  # how Linux says that nobody is left at the other side
            return False
        self._shown += shown
        return bool(shown)


@contextmanager
def at_terminal(plangate: CommandLine, *arguments: str) -> Iterator[Terminal]:
    """Start a command at a terminal of its own; whatever happens, it is over afterwards."""
    keyboard, line = pty.openpty()
    try:
        with subprocess.Popen(
            plangate.command(*arguments, main=AT_TERMINAL),
            stdin=line,
            stdout=line,
            stderr=line,
            cwd=plangate.folder,
            env=plangate.environment(),
            start_new_session=True,
        ) as process:
            os.close(line)
            try:
                yield Terminal(process, keyboard)
            finally:
                process.kill()
    finally:
        os.close(keyboard)


def typed_beside(plangate: CommandLine, *arguments: str, keys: str) -> Done:
    """How a command ends whose person types at a terminal, while its output goes elsewhere."""
    keyboard, line = pty.openpty()
    try:
        os.write(keyboard, keys.encode())
        done = subprocess.run(
            plangate.command(*arguments),
            stdin=line,
            capture_output=True,
            check=False,
            cwd=plangate.folder,
            env=plangate.environment(),
            timeout=PATIENCE,
        )
    finally:
        os.close(line)
        os.close(keyboard)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
