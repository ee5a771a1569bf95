"""A text of any length on the screen, of which only what is in view is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from plangate.tui.lines import Line, folded


class Reader(ScrollView, can_focus=True):
    """Folds its lines to the width there is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_by(1)", "down"),
        Binding("k,up", "scroll_by(-1)", "up"),
        Binding("space,pagedown", "scroll_pages(1)", "a page down"),
        Binding("b,pageup", "scroll_pages(-1)", "a page up"),
        Binding("g,home", "scroll_to_line(0)", "to the top"),
        Binding("G,end", "scroll_by(1000000)", "to the end"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[Line] = ()
        self._rows: list[Text] = []
        self._starts: list[int] = []
        self._folded_to = 0
        self.was_drawn = False
        """Whether what it holds now has been on the screen."""

    def show(self, lines: Sequence[Line]) -> None:
        """Show these from now on; whoever reads stays where they are."""
        self._lines = lines
        self.was_drawn = False
        self._fold()

    def on_resize(self, event: Resize) -> None:
        if self._width != self._folded_to:
            self._fold()

    def render_line(self, y: int) -> Strip:
        self.was_drawn = bool(self._rows)
        place = y + self.scroll_offset.y
        row = self._rows[place] if place < len(self._rows) else Text("")
        segments = [each for each in row.render(self.app.console) if each.text != "\n"]
        return Strip(segments).crop_extend(0, self.size.width, None).apply_style(self.rich_style)

    def action_scroll_by(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False)

    def action_scroll_pages(self, pages: int) -> None:
        """One row stays in view, so that nobody loses the thread."""
        self.action_scroll_by(pages * max(self.size.height - 1, 1))

    def action_scroll_to_line(self, number: int) -> None:
        self.scroll_to(y=self._starts[number] if number < len(self._starts) else 0, animate=False)

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _fold(self) -> None:
        self._folded_to = self._width
        self._rows, self._starts = [], []
        for line in self._lines:
            self._starts.append(len(self._rows))
            self._rows += folded(line, self._width)
        self.virtual_size = Size(self._width, len(self._rows))
        self.refresh()
