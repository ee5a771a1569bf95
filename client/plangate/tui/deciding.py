"""What the screens of a plan and of a tool call share: a text, and a decision about just this text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget

from plangate._common.text_safety import visible
from plangate.errors import GateUnreachable, PlangateError
from plangate.tui.calm import GLANCE, NEW, Calm
from plangate.tui.desk import Desk
from plangate.tui.frame import Frame, Open, choices
from plangate.tui.reader import Reader

NOT_KNOWN: Final = "whether it was recorded is shown when the gate answers"
ELSEWHERE: Final = "the keys belong to a box"


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
        self._is_deciding = False
        self._is_covered = False

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
    def named(self) -> str:
        """What this is about, in words for another screen."""

    def goes_along(self) -> str:
        """What else a decision sends; empty if nothing."""
        return ""

    @abstractmethod
    def standing(self) -> Text:
        """What becomes of it when it no longer waits."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that is pressed in a box above decides nothing here."""
        return self.is_active or action not in self.DECIDING

    def on_screen_suspend(self) -> None:
        self._is_covered = True

    def on_screen_resume(self) -> None:
        """Whoever comes back from a box has not seen what changed below it."""
        self._is_covered = False
        self.changed()

    @property
    def is_settled(self) -> bool:
        """Whether what is shown has been before the person's eyes for a moment."""
        return self.is_active and not self._is_covered and self.reader.was_drawn and not self._calm.left()

    def may_decide(self) -> bool:
        """Ask this when a key was pressed that decides: one that comes too early disturbs the calm."""
        may = not self.hindrance()
        if not may:
            self.changed()
        return may

    def hindrance(self) -> str:
        """Why nothing can be decided now; empty if it can."""
        not_seen = self.reader.not_seen()
        hindrances = (
            (not self.is_open, "nothing is to be decided here"),
            (not self.desk.may_decide, "your token lets you look, not decide"),
            (bool(self.desk.connection.problem), "nothing can be decided while no gate answers"),
            (self._is_sending, "sending"),
            (self.is_elsewhere, ELSEWHERE),
            (bool(not_seen), not_seen),
            (bool(self._calm.left()) or not self.reader.was_drawn, NEW),
        )
        return next((words for holds, words in hindrances if holds), "")

    @property
    def is_elsewhere(self) -> bool:
        """Whether a box is above this, or about to be, or has just closed."""
        return self._is_deciding or self._is_covered

    def changed(self) -> None:
        """What is shown is not what was shown."""
        self._calm.disturb()
        if not self.is_running:
            return
        self.update_bars()
        self.set_timer(self._calm.left() + GLANCE, self.update_bars)

    def action_next(self) -> None:
        """The one that waits longest of those that began after this; after the last one, the first."""
        following = self.desk.inbox.next_after(self.key)
        if following in {"", self.key}:
            self.tell("nothing else waits")
        else:
            self.post_message(Open(following, instead=True))

    def keys(self) -> Text:
        hindrance = self.hindrance()
        is_offered = hindrance in {"", ELSEWHERE}
        first = choices(*self.offered()) if is_offered else Text(f" {hindrance}", "italic")
        others = choices(("?", "keys"), ("u", "inbox"), ("n", "next"), ("q", "quit"))
        if self.is_open:
            waits = self.waits()
            others.append(waits.rjust(max(self.size.width - len(others) - 1, len(waits))))
        else:
            first = self.standing()
        along = Text(f" {self.goes_along()}".rstrip())
        return Text("\n").join(each for each in (along, first, others) if each.plain)

    def tell(self, words: str) -> None:
        """If the person has left this screen meanwhile, the one they are at says it."""
        super().tell(words)
        stack = self.app.screen_stack
        if self not in stack:
            for screen in [each for each in stack if isinstance(each, Frame)][-1:]:
                screen.tell(f"{self.named()}: {words}")

    def begin(self, steps: Coroutine[Any, Any, object]) -> None:
        """One decision at a time; it is the program's, so that it goes on when this screen is left."""
        self._is_deciding = True
        self.app.run_worker(self._carry_out(steps))

    async def _carry_out(self, steps: Coroutine[Any, Any, object]) -> None:
        try:
            await steps
        finally:
            self._is_deciding = False
            self.changed()

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
        if self in self.app.screen_stack:
            await self.look_again()
        self.tell(words)
        return is_done
