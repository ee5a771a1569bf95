"""The keys of a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from plangate.tui.box import Box

Key: TypeAlias = tuple[str, str]
"""What is pressed, and what it does."""


class Help(Box[None]):
    """Enter does not close it: pressed once too often, it would approve what is below."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "close", "close")]

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        width = max(len(key) for key, _ in self._keys)
        rows = (
            Text(end="").append(f"{key:<{width}}", "bold").append(f"  {words}") for key, words in self._keys
        )
        with VerticalScroll(classes="box"):
            yield Static(Text("\n").join(rows))
            yield Static(Text("\nEsc closes this", "dim"))

    def action_close(self) -> None:
        self.answer(None)
