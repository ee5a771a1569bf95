"""A text of any length on the screen, of which only what is in view is drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Final, NamedTuple, TypeAlias

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
MUST_BE_SEEN: Final = "must be seen"
"""The part without which nothing can be decided."""
Read: TypeAlias = dict[str, bytearray]
"""By part: for each of its rows, whether it was on the screen."""


class Place(NamedTuple):
    """Where a part is."""

    name: str
    first: int
    rows: int


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
        self._parts: list[Place] = []
        self._read: Read = {}
        self._is_drawn = False

    class Moved(Message):
        """Other rows are in view."""

    @property
    def was_drawn(self) -> bool:
        """Whether so much of it was on the screen that nobody may decide about without having seen it."""
        return self._is_drawn and not self.unseen(MUST_BE_SEEN)

    def not_seen(self) -> str:
        """How much must still be seen, and how to get there; empty if nothing, or nothing was drawn yet."""
        unseen = self.unseen(MUST_BE_SEEN)
        if not unseen or not self._is_drawn:
            return ""
        first = next(each.first for each in self._parts if each.name == MUST_BE_SEEN)
        is_above = first + self._read[MUST_BE_SEEN].index(0) < self.scroll_offset.y
        where = "above: b" if is_above else "below: Space"
        return f"to decide, see {counted(unseen, 'more line')} {where}"

    def unseen(self, part: str) -> int:
        """How many rows of a part were not on the screen yet."""
        return self._read[part].count(0) if part in self._read else 0

    def show(self, lines: Sequence[Line], read: Read, *, is_new: bool = True) -> None:
        """Show these from now on, of which some may have been read; whoever reads stays where they are."""
        self._lines = lines
        self._read = read
        self._is_drawn = self._is_drawn and not is_new
        self._fold()

    def on_resize(self, event: Resize) -> None:
        if self._width != self._folded_to:
            seen = [line for line, rows in enumerate(self._rows_of_lines()) if all(map(self._is_seen, rows))]
            self._fold()
            rows_of = self._rows_of_lines()
            for line in seen:
                for row in rows_of[line]:
                    self._note_seen(row)

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        row = self._rows[place] if place < len(self._rows) else Text("")
        if self._is_last_in_view(y) and place + 1 < len(self._rows):
            more = counted(len(self._rows) - place, "more line")
            row = Text(f"  ↓ {more} below: Space", "reverse", end="")
        elif place < len(self._rows) and self.screen.is_active:
            self._is_drawn = True
            self._note_seen(place)
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
        self._rows, self._starts, self._parts = [], [], []
        for line in self._lines:
            self._starts.append(len(self._rows))
            kept = before.get(id(line.text)) or (line.text, folded(line, self._width))
            self._folded[id(line.text)] = kept
            self._rows += kept[1]
            if line.part:
                self._extend(line.part, len(kept[1]))
        self._keep_what_was_read()
        self.virtual_size = Size(self._width, len(self._rows))
        self.refresh()

    def _extend(self, part: str, rows: int) -> None:
        """The last rows belong to this part."""
        if self._parts and self._parts[-1].name == part:
            last = self._parts.pop()
            self._parts.append(last._replace(rows=last.rows + rows))
        else:
            self._parts.append(Place(part, len(self._rows) - rows, rows))

    def _keep_what_was_read(self) -> None:
        """Row by row, as long as the part has as many; else only if all of it was."""
        before = dict(self._read)
        self._read.clear()
        for name, _, rows in self._parts:
            read = before.get(name, b"")
            kept = read if len(read) == rows else bytes([bool(read) and all(read)]) * rows
            self._read[name] = bytearray(kept)

    def _rows_of_lines(self) -> list[range]:
        return [range(*each) for each in pairwise((*self._starts, len(self._rows)))]

    def _part_at(self, row: int) -> Place | None:
        at = bisect_right(self._parts, row, key=lambda each: each.first) - 1
        found = self._parts[at] if at >= 0 else None
        return found if found is not None and row < found.first + found.rows else None

    def _is_seen(self, row: int) -> bool:
        part = self._part_at(row)
        return part is not None and bool(self._read[part.name][row - part.first])

    def _note_seen(self, row: int) -> None:
        part = self._part_at(row)
        if part is not None:
            self._read[part.name][row - part.first] = 1
