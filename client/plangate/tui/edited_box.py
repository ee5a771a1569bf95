"""What came out of the editor, and what to do with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from plangate.tui.calm import Calm
from plangate.tui.frame import choices
from plangate.tui.lines import lines_of
from plangate.tui.reader import Reader

READABLE = {
    "a": "approve as edited",
    "s": "save for others to review",
    "e": "edit again",
    "f": "forget it",
    "k": "stop, and keep the file",
}
UNREADABLE = {each: READABLE[each] for each in "ek"}


class EditedBox(ModalScreen[str]):
    """Gives the letter that was chosen. What is still typed for the editor chooses nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(each, f"choose('{each}')", words) for each, words in READABLE.items() if each != "k"),
        Binding("k,escape", "choose('k')", READABLE["k"]),
    ]

    def __init__(self, lines: Iterable[str], *, is_readable: bool) -> None:
        super().__init__()
        self._lines = [*lines_of(lines)]
        self._offered = READABLE if is_readable else UNREADABLE
        self._calm = Calm()
        self._reader = Reader()

    def compose(self) -> ComposeResult:
        with Vertical(classes="box whole"):
            title = "What you changed" if self._offered is READABLE else "This cannot be taken"
            yield Static(Text(title, "bold"))
            yield self._reader
            yield Static(choices(*self._offered.items()))

    def on_mount(self) -> None:
        self._reader.show(self._lines)
        self._reader.focus()
        self._calm.disturb()

    def action_choose(self, letter: str) -> None:
        if self._calm.left() or not self._reader.was_drawn:
            self._calm.disturb()
        elif letter in self._offered:
            self.dismiss(letter)
