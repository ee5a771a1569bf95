"""The inbox: what waits, the oldest first, and below it what became of the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from plangate.tui.desk import Desk
from plangate.tui.frame import Frame, Open, choices
from plangate.tui.help import Key
from plangate.tui.lines import WIDEST
from plangate.tui.rows import decided_row, waiting_row
from plangate.tui.state import key_of

Row: TypeAlias = Callable[[bool], Text]
"""Draws an entry, marked or not."""

NOTHING = "nothing waits for a decision; what comes appears here by itself"
NOT_YET = "asking the gate what waits"


class InboxScreen(Frame):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("j", "move('down')"), Binding("k", "move('up')")]
    KEYS: ClassVar[Sequence[Key]] = (
        ("Enter", "open what is marked"),
        ("j k ↓ ↑", "mark another one"),
        ("?", "show these keys"),
        ("q", "quit"),
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._list = OptionList(compact=True, markup=False)
        self._rows: dict[str, Row] = {}
        self._shown: list[tuple[str | None, str]] = []
        self._marked = ""
        self._is_placed = False
        """Whether the person has chosen where the mark is."""
        self._wanted = ""
        """What they marked although it was decided."""
        self._decided: Collection[str] = ()

    def content(self) -> Iterable[Widget]:
        yield self._list

    def keys(self) -> Text:
        return choices(("Enter", "open"), ("j k", "move"), ("?", "keys"), ("q", "quit"))

    def on_screen_resume(self) -> None:
        """Whoever comes back is where they were: at what they looked at last."""
        if self.desk.looked_at:
            self._marked, self.desk.looked_at = self.desk.looked_at, ""
            self._is_placed = True

    def update_bars(self) -> None:
        super().update_bars()
        if self.is_mounted:
            self._list_anew()

    def action_move(self, where: str) -> None:
        if where == "down":
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    @on(OptionList.OptionSelected)
    def open(self, event: OptionList.OptionSelected) -> None:
        if event.option_id:
            self.post_message(Open(event.option_id))

    @on(OptionList.OptionHighlighted)
    def mark(self, event: OptionList.OptionHighlighted) -> None:
        """What is marked now; the event may tell of what was marked before it was listed anew."""
        place = event.option_list.highlighted
        now = event.option_list.get_option_at_index(place).id if place is not None else None
        if now is None or now == self._marked:
            return
        before, self._marked = self._marked, now
        self._is_placed = True
        self._wanted = now if now in self._decided else ""
        for key in {before, now} & self._rows.keys():
            self._list.replace_option_prompt(key, self._rows[key](key == now))

    def _list_anew(self) -> None:
        """What was marked stays marked as long as it waits, wherever it is now.

        Nothing is listed before all of it is told: the mark would be on whatever came first, not on the
        oldest, and a key that is pressed then would open something else than what is shown a moment later.
        """
        if not self.desk.inbox.is_ready and self._rows:
            return
        self._rows = dict(self._waiting_rows()) if self.desk.inbox.is_ready else {}
        decided = dict(self._decided_rows())
        self._decided = decided.keys()
        self._marked = self._to_mark(self._rows)
        options = [self._option(key, row) for key, row in self._rows.items()] or [self._empty()]
        if decided:
            options.append(Option(Text("\ndecided since you came", "bold"), disabled=True))
        options += [self._option(key, row) for key, row in decided.items()]
        self._rows |= decided
        shown = [(option.id, str(option.prompt)) for option in options]
        if shown != self._shown:
            self._shown = shown
            self._list.set_options(options)
            self._list.highlighted = self._list.get_option_index(self._marked) if self._marked else None

    def _to_mark(self, waiting: Collection[str]) -> str:
        """What the person chose, else the next that waits: nobody opens again what they decided about."""
        if self._is_placed and self._marked in waiting:
            self._wanted = ""
        elif self._marked != self._wanted or self._wanted not in self._decided:
            following = self.desk.inbox.next_after(self._marked) if self._is_placed else ""
            return following if following in waiting else next(iter((*waiting, *self._decided)), "")
        return self._marked

    def _option(self, key: str, row: Row) -> Option:
        return Option(row(key == self._marked), id=key)

    def _empty(self) -> Option:
        return Option(Text(NOTHING if self.desk.inbox.is_ready else NOT_YET, "italic"), disabled=True)

    def _waiting_rows(self) -> Iterator[tuple[str, Row]]:
        for entry in self.desk.inbox.waiting():
            yield key_of(entry), partial(waiting_row, entry, self._width)

    def _decided_rows(self) -> Iterator[tuple[str, Row]]:
        for plan in self.desk.inbox.decided():
            yield key_of(plan), partial(decided_row, plan, self._width)

    @property
    def _width(self) -> int:
        return min(self._list.size.width - 2, WIDEST)
