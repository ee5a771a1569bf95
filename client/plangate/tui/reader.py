"""A text of any length on the screen, of which only what is in view is drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from plangate.cli._words import counted
from plangate.tui.lines import Line, folded

LOWEST: Final = 3
"""With fewer rows, none can be spared to say how many there are below."""


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
        self._folded: dict[int, tuple[Text, list[Text]]] = {}
        """The rows of each text, by its identity: as long as it is kept here, no other has it."""
        self._folded_to = 0
        self._must_see = 1
        self._seen = 0
        """How many rows were on the screen, from the first one on, without a gap."""

    class Moved(Message):
        """Other rows are in view."""

    @property
    def was_drawn(self) -> bool:
        """Whether all was on the screen that nobody may decide about without having seen it."""
        return bool(self._rows) and self._seen >= self._must_see

    def not_seen(self) -> str:
        """How much of it was not on the screen yet, and how to get there; empty if all was, or nothing."""
        if self.was_drawn or not self._seen:
            return ""
        where = "above: b" if self._seen < self.scroll_offset.y else "below: Space"
        return f"to decide, see {counted(self._must_see - self._seen, 'more line')} {where}"

    def show(self, lines: Sequence[Line], *, is_new: bool = True) -> None:
        """Show these from now on; whoever reads stays where they are."""
        self._lines = lines
        self._seen = 0 if is_new else self._seen
        self._fold()

    def on_resize(self, event: Resize) -> None:
        if self._width != self._folded_to:
            seen = bisect_right(self._starts, self._seen) - 1
            self._fold()
            self._seen = self._starts[seen] if seen > 0 else 0

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        row = self._rows[place] if place < len(self._rows) else Text("")
        if self._is_last_in_view(y) and place + 1 < len(self._rows):
            more = counted(len(self._rows) - place, "more line")
            row = Text(f"  ↓ {more} below: Space", "reverse", end="")
        elif place == self._seen < len(self._rows):
            self._seen += 1
        segments = [each for each in row.render(self.app.console) if each.text != "\n"]
        return Strip(segments).crop_extend(0, self.size.width, None).apply_style(self.rich_style)

    def action_scroll_by(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False)

    def action_scroll_pages(self, pages: int) -> None:
        """One row stays in view, so that nobody loses the thread."""
        self.action_scroll_by(pages * max(self.size.height - 1, 1))

    def action_scroll_to_line(self, number: int) -> None:
        self.scroll_to(y=self._starts[number] if number < len(self._starts) else 0, animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.call_after_refresh(self.post_message, self.Moved())

    def _is_last_in_view(self, y: int) -> bool:
        """The row that says how much is below; what it covers is the first one a page further down."""
        return y == self.size.height - 1 >= LOWEST

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _fold(self) -> None:
        if self._width != self._folded_to:
            self._folded = {}
        self._folded_to = self._width
        before, self._folded = self._folded, {}
        self._rows, self._starts, self._must_see = [], [], 1
        for line in self._lines:
            self._starts.append(len(self._rows))
            kept = before.get(id(line.text)) or (line.text, folded(line, self._width))
            self._folded[id(line.text)] = kept
            self._rows += kept[1]
            if line.must_be_seen:
                self._must_see = len(self._rows)
        self.virtual_size = Size(self._width, len(self._rows))
        self.refresh()
