"""Boxes to write in. Enter sends what was written, and means nothing else here."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from plangate.cli._line_ranges import line_range
from plangate.tui.box import Box
from plangate.tui.desk import Desk
from plangate.tui.frame import Along, Bar


class Words(NamedTuple):
    text: str
    first_line: int = 0
    last_line: int = 0


class Area(TextArea):
    """A text of several lines, of which a pasted one can have any number."""

    class Sent(Message):
        """Enter was pressed. It carries what stood there then: keys that follow belong to no decision."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    async def _on_key(self, event: Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent(self.text))
        elif event.key == "ctrl+j":
            event.stop()
            event.prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)


class WordsBox(Box[Words | None]):
    """Gives the words, or None if the person went back; what they wrote is then kept."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back"),
        Binding("tab", "app.focus_next", show=False),
    ]

    def __init__(
        self,
        desk: Desk,
        about: str,
        title: str,
        *,
        must_say: str,
        lines: int = 0,
        along: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self._along = along
        """What goes along with the words."""
        self._desk = desk
        self._about = about
        self._title = title
        self._must_say = must_say
        self._most_lines = lines
        """How many lines there are to speak of; 0 if that is not asked."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Text(self._title, "bold"))
            if self._most_lines:
                yield Input(placeholder="lines, like 3 or 3-5; empty: all of it", select_on_focus=False)
            typed = self._desk.typed.get(self._about, "")
            yield Area(typed, soft_wrap=True, tab_behavior="focus", compact=True)
            yield Bar(id="problem")
            yield Along(self._along)
            yield Static(Text("Enter sends it, Ctrl-J begins a line, Esc goes back", "dim"))

    def on_mount(self) -> None:
        area = self.query_one(Area)
        area.move_cursor(area.document.end)
        area.focus()

    def on_text_area_changed(self) -> None:
        if not self.is_answered:
            self._desk.typed[self._about] = self.query_one(Area).text

    def on_input_submitted(self) -> None:
        self.query_one(Area).focus()

    def on_area_sent(self, sent: Area.Sent) -> None:
        text = sent.text.strip()
        try:
            lines = self._lines()
        except ArgumentTypeError as problem:
            self._say(str(problem))
            return
        if text:
            self._desk.typed[self._about] = sent.text
            self.answer(Words(text, *lines))
        else:
            self._say(self._must_say)

    def action_back(self) -> None:
        self.answer(None)

    def _lines(self) -> tuple[int, int]:
        """What the words are about; raises ArgumentTypeError with what is wrong."""
        given = self.query_one(Input).value.strip() if self._most_lines else ""
        if not given:
            return 0, 0
        first, last = line_range(given)
        if not first <= last <= self._most_lines:
            raise ArgumentTypeError(f"the plan has the lines 1 to {self._most_lines}")
        return first, last

    def _say(self, problem: str) -> None:
        self.query_one("#problem", Bar).put(Text(problem, "bold"))
