"""The inbox: what waits, the oldest first, and below it what became of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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

    def content(self) -> Iterable[Widget]:
        yield self._list

    def keys(self) -> Text:
        return choices(("Enter", "open"), ("j k", "move"), ("?", "keys"), ("q", "quit"))

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
        before, self._marked = self._marked, event.option_id or ""
        for key in {before, self._marked} & self._rows.keys():
            self._list.replace_option_prompt(key, self._rows[key](key == self._marked))

    def _list_anew(self) -> None:
        """What was marked stays marked, wherever it is now.

        Nothing is listed before all of it is told: the mark would be on whatever came first, not on the
        oldest, and a key that is pressed then would open something else than what is shown a moment later.
        """
        if not self.desk.inbox.is_ready and self._rows:
            return
        self._rows = dict(self._waiting()) if self.desk.inbox.is_ready else {}
        decided = dict(self._decided())
        if not (self._rows.keys() & {self._marked} or decided.keys() & {self._marked}):
            self._marked = next(iter((*self._rows, *decided)), "")
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

    def _option(self, key: str, row: Row) -> Option:
        return Option(row(key == self._marked), id=key)

    def _empty(self) -> Option:
        return Option(Text(NOTHING if self.desk.inbox.is_ready else NOT_YET, "italic"), disabled=True)

    def _waiting(self) -> Iterator[tuple[str, Row]]:
        for entry in self.desk.inbox.waiting():
            yield key_of(entry), partial(waiting_row, entry, self._width)

    def _decided(self) -> Iterator[tuple[str, Row]]:
        for plan in self.desk.inbox.decided():
            yield key_of(plan), partial(decided_row, plan, self._width)

    @property
    def _width(self) -> int:
        return min(self._list.size.width - 2, WIDEST)
