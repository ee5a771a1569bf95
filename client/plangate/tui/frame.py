"""What every screen has around it: who looks at which gate, whether it answers, a notice, and the keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from plangate._common.text_safety import visible
from plangate.cli._words import counted
from plangate.tui.desk import Desk
from plangate.tui.help import Help, Key
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent

SECOND: Final = 1.0


class Bar(Static):
    """A text that takes no place when there is none."""

    _shown: Text | None = None

    def put(self, text: Text) -> None:
        if text != self._shown:
            self._shown = text
            self.display = bool(text.plain)
            self.update(text)


class Along(Bar):
    """What goes along with a decision, also if that changes while it stands there."""

    def __init__(self, words: Callable[[], str]) -> None:
        super().__init__()
        self._words = words

    def on_mount(self) -> None:
        self.set_interval(SECOND, self._say)
        self._say()

    def _say(self) -> None:
        self.put(Text(self._words()))


class Open(Message):
    """Show what has this key in the inbox, above this screen or instead of it."""

    def __init__(self, key: str, *, instead: bool = False) -> None:
        super().__init__()
        self.key = key
        self.instead = instead


class Frame(Screen[None]):
    """``update`` draws what changes by itself: once a second, and whenever the gate tells something."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "keys"),
        Binding("q,ctrl+c", "app.quit", "quit"),
    ]
    KEYS: ClassVar[Sequence[Key]] = ()
    """All keys of the screen, for the help."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._notice = ""
        self._top, self._lost = Bar(id="top"), Bar(id="lost")
        self._said, self._keys = Bar(id="notice"), Bar(id="keys")

    def compose(self) -> ComposeResult:
        yield from (self._top, self._lost)
        yield from self.content()
        yield from (self._said, self._keys)

    @abstractmethod
    def content(self) -> Iterable[Widget]:
        """What stands between the bars."""

    @abstractmethod
    def keys(self) -> Text:
        """What can be pressed now."""

    def heard(self, event: ReviewEvent | None) -> None:
        """The gate told something about plans, or about tool calls if there is no event."""
        self.update_bars()

    def caught_up(self) -> None:
        """The gate was away, and is back."""
        self.update_bars()

    def on_mount(self) -> None:
        self.set_interval(SECOND, self.update_bars)
        self.update_bars()

    def on_resize(self) -> None:
        self.update_bars()

    def on_screen_resume(self) -> None:
        self.update_bars()

    def tell(self, words: str) -> None:
        """Say something; it stays until something else is said."""
        self._notice = words
        self.update_bars()

    def tell_more(self, words: str) -> None:
        """Say something beside what was said last."""
        self.tell(f"{self._notice}; {words}")

    def update_bars(self) -> None:
        if not self.is_mounted:
            return
        problem = self.desk.connection.problem
        self._top.put(self._title())
        self._lost.put(Text(f" the connection is lost, trying again: {problem}" if problem else ""))
        self._said.put(Text(f" {self._notice}" if self._notice else ""))
        self._keys.put(self.keys())

    def action_help(self) -> None:
        self.app.push_screen(Help(self.KEYS))

    def _title(self) -> Text:
        waiting = len(self.desk.inbox.waiting())
        waits = f"{counted(waiting, 'decision')} to make" if waiting else "nothing waits"
        waits = waits if self.desk.inbox.is_ready else ""
        left = f" plangate review  {visible(self.desk.client.target)}, as {visible(self.desk.me.name)}"
        return Text(f"{left}{waits.rjust(max(self.size.width - len(left) - 1, len(waits) + 2))} ")


def choices(*pairs: tuple[str, str]) -> Text:
    """Keys with what they do, in a row."""
    row = Text(" ", end="")
    for key, words in pairs:
        row.append(f" {key} ", "reverse").append(f" {words}  ")
    return row
