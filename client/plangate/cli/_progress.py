"""How far a build is: a bar that moves on a terminal, a line for each todo elsewhere."""

from __future__ import annotations

import shutil
import sys
from typing import Final

from plangate._common.text_safety import visible
from plangate.cli._style import Style, styled
from plangate.cli._text import cut
from plangate.cli._todo_states import State, can_show

WIDTH: Final = 24
ERASE: Final = "\r\x1b[K"


class Progress:
    """Told of every todo that moves."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._moves = sys.stdout.isatty()

    def started(self, todo_id: str, content: str) -> None:
        """On a terminal the bar shows it; elsewhere it is told when it is done."""
        if self._moves:
            bar = f"{self._bar()} {self._done}/{self._total}  "
            room = max(shutil.get_terminal_size().columns - WIDTH - 12, 8)
            print(f"{ERASE}{bar}{cut(visible(f'[{todo_id}] {content}'), room)}", end="", flush=True)

    def done(self, todo_id: str, content: str) -> None:
        self._done += 1
        self._line(State.DONE, f"[{todo_id}] {content}")
        if self._moves and self._done == self._total:
            print(f"{self._bar()} {self._done}/{self._total}")

    def failed(self, todo_id: str, why: str) -> None:
        self._line(State.CANCELLED, f"[{todo_id}] {why}")

    def pause(self) -> None:
        """Somebody else prints now."""
        if self._moves:
            print(end=ERASE, flush=True)

    def _line(self, state: State, words: str) -> None:
        self.pause()
        mark = state.cell
        print(styled(mark.text.split()[0], mark.style), visible(words), flush=True)

    def _bar(self) -> str:
        full, empty = ("█", "░") if can_show("█░") else ("#", "-")
        filled = WIDTH * self._done // self._total if self._total else WIDTH
        return styled(full * filled, Style.GOOD) + styled(empty * (WIDTH - filled), Style.FAINT)
