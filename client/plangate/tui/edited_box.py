"""What came out of the editor, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from plangate.tui.box import Box
from plangate.tui.calm import GLANCE, NEW, Calm
from plangate.tui.frame import Along, Bar, choices
from plangate.tui.lines import lines_of
from plangate.tui.reader import Reader

READABLE = {
    "a": "approve as edited",
    "s": "save for others to review",
    "e": "edit again",
    "f": "forget it",
    "Esc": "stop, and keep the file",
}
UNREADABLE = {each: READABLE[each] for each in ("e", "Esc")}


class EditedBox(Box[str]):
    """Gives the key that was chosen. What is still typed for the editor chooses nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape" if each == "Esc" else each, f"choose('{each}')", words)
        for each, words in READABLE.items()
    ]

    def __init__(self, lines: Iterable[str], *, is_readable: bool, along: Callable[[], str] = str) -> None:
        super().__init__()
        self._along = along
        """What goes along with an approval."""
        self._lines = [*lines_of(lines)]
        self._offered = READABLE if is_readable else UNREADABLE
        self._calm = Calm()
        self._reader = Reader()
        self._keys = Bar()

    def compose(self) -> ComposeResult:
        with Vertical(classes="box whole"):
            title = "What you changed" if self._offered is READABLE else "This cannot be taken"
            yield Static(Text(title, "bold"))
            yield self._reader
            yield Along(self._along)
            yield self._keys

    def on_mount(self) -> None:
        self._reader.show(self._lines, {})
        self._reader.focus()
        self._calm_down()

    def action_choose(self, key: str) -> None:
        if self._calm.left() or not self._reader.was_drawn:
            self._calm_down()
        elif key in self._offered:
            self.answer(key)

    def _calm_down(self) -> None:
        self._calm.disturb()
        self._offer()
        self.set_timer(self._calm.left() + GLANCE, self._offer)

    def _offer(self) -> None:
        self._keys.put(Text(f" {NEW}", "italic") if self._calm.left() else choices(*self._offered.items()))
