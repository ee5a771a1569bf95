"""The inbox: what waits, the oldest first, and below it what became of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

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
        self._rows: list[tuple[str, str]] = []

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

    def _list_anew(self) -> None:
        """What was marked stays marked, wherever it is now."""
        options = [*self._options()]
        rows = [(option.id or "", str(option.prompt)) for option in options]
        if rows == self._rows:
            return
        self._rows = rows
        place = self._list.highlighted
        marked = self._list.get_option_at_index(place).id if place is not None else None
        self._list.set_options(options)
        keys = [option.id for option in options]
        if marked in keys:
            self._list.highlighted = keys.index(marked)
        elif any(keys):
            self._list.highlighted = next(number for number, key in enumerate(keys) if key)

    def _options(self) -> Iterable[Option]:
        inbox, width = self.desk.inbox, min(self._list.size.width - 2, WIDEST)
        waiting, decided = inbox.waiting(), inbox.decided()
        if not waiting:
            yield Option(Text(NOTHING if inbox.is_ready else NOT_YET, "italic"), disabled=True)
        for entry in waiting:
            yield Option(waiting_row(entry, width), id=key_of(entry))
        if decided:
            yield Option(Text("\ndecided since you came", "bold"), disabled=True)
        for plan in decided:
            yield Option(decided_row(plan, width), id=key_of(plan))
