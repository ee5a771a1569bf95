"""What the screens of a plan and of a tool call share: a text, and a decision about just this text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget

from plangate.cli._text import visible
from plangate.errors import GateUnreachable, PlangateError
from plangate.tui.calm import GLANCE, NEW, Calm
from plangate.tui.desk import Desk
from plangate.tui.frame import Frame, Open, choices
from plangate.tui.reader import Reader
from plangate.tui.state import key_of

NOT_KNOWN: Final = "whether it was recorded is shown when the gate answers"


class Deciding(Frame):
    """Decides only if the text has been on the screen, for a moment, and the gate answers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,enter", "approve", "approve"),
        Binding("2,escape", "reject", "reject"),
        Binding("n", "next", "the next that waits"),
        Binding("u,backspace", "app.pop_screen", "to the inbox"),
    ]
    DECIDING: ClassVar[frozenset[str]] = frozenset({"approve", "reject"})

    def __init__(self, desk: Desk, key: str) -> None:
        super().__init__(desk)
        self.key = key
        self.reader = Reader()
        self._calm = Calm()
        self._is_sending = False

    def content(self) -> Iterable[Widget]:
        yield self.reader

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether what is shown waits for a decision."""

    @abstractmethod
    def offered(self) -> tuple[tuple[str, str], ...]:
        """The keys that decide, and what they do."""

    @abstractmethod
    def waits(self) -> str:
        """For how long, and until when."""

    @abstractmethod
    def standing(self) -> Text:
        """What becomes of it when it no longer waits."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that is pressed in a box above decides nothing here."""
        return self.is_active or action not in self.DECIDING

    def may_decide(self) -> bool:
        """Ask this when a key was pressed that decides: one that comes too early disturbs the calm."""
        if self.is_open and self._calm.left():
            self.changed()
        return not self.hindrance()

    def hindrance(self) -> str:
        """Why nothing can be decided now; empty if it can."""
        if not self.is_open:
            return "nothing is to be decided here"
        if not self.desk.may_decide:
            return "your token lets you look, not decide"
        if self.desk.connection.problem:
            return "nothing can be decided while no gate answers"
        if self._is_sending:
            return "sending"
        if not_seen := self.reader.not_seen():
            return not_seen
        return NEW if self._calm.left() or not self.reader.was_drawn else ""

    def changed(self) -> None:
        """What is shown is not what was shown."""
        self._calm.disturb()
        self.update_bars()
        self.set_timer(self._calm.left() + GLANCE, self.update_bars)

    def action_next(self) -> None:
        """The one that waits longest of those that began after this; after the last one, the first."""
        keys = [*map(key_of, self.desk.inbox.waiting())]
        place = keys.index(self.key) + 1 if self.key in keys else 0
        if set(keys) <= {self.key}:
            self.tell("nothing else waits")
        else:
            self.post_message(Open(keys[place % len(keys)], instead=True))

    def keys(self) -> Text:
        hindrance = self.hindrance()
        first = Text(f" {hindrance}", "italic") if hindrance else choices(*self.offered())
        others = choices(("?", "keys"), ("u", "inbox"), ("n", "next"), ("q", "quit"))
        if self.is_open:
            waits = self.waits()
            others.append(waits.rjust(max(self.size.width - len(others) - 1, len(waits))))
        else:
            first = self.standing()
        return Text("\n").join((first, others)) if first.plain else others

    async def look_again(self) -> None:
        """Show how things are after a decision, if nobody else tells."""

    async def send(self, call: Callable[[], Awaitable[str]]) -> bool:
        """Carry out a decision and tell what became of it; False if the gate refused it."""
        self._is_sending = True
        self.update_bars()
        try:
            words, is_done = await call(), True
        except GateUnreachable as problem:
            words, is_done = f"{visible(problem.words)}: {NOT_KNOWN}", False
        except PlangateError as problem:
            words, is_done = visible(problem.words), False
        finally:
            self._is_sending = False
        await self.look_again()
        self.tell(words)
        return is_done
