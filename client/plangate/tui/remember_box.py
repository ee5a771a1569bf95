"""Which calls an answer is for, beyond the one that waits: said in words before it is given."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import timedelta
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from plangate._calls.words import span
from plangate.cli._answering import SCOPES, reach
from plangate.cli._durations import duration
from plangate.cli._text import visible
from plangate.tui.box import Box
from plangate.tui.calm import Calm
from plangate.tui.frame import Bar
from plangate.tui.rows import MARK
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt, Remember

PATTERN = "like this, with * for any one word and ** for any more at the end; empty: exactly this"
ONLY_THIS = "exactly this: calls like it could run anything"
UNTIL = "for how long, like 30min or 2h; empty: until it is forgotten"


class RememberBox(Box[Remember | None]):
    """Gives what to remember, or None if the person went back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]

    def __init__(self, prompt: ApprovalPrompt) -> None:
        super().__init__()
        self._prompt = prompt
        self.calm = Calm()
        self._reaches: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Text("Approve this call, and …", "bold"))
            yield OptionList(compact=True, markup=False)
            suggested = visible(self._prompt.suggested_pattern)
            yield Static(Text(f"\n{PATTERN if suggested else ONLY_THIS}", "dim"))
            yield Input(placeholder=suggested, id="pattern", disabled=not suggested)
            yield Static(Text(UNTIL, "dim"))
            yield Input(id="until")
            yield Bar(id="problem")
            yield Static(Text("Enter gives the marked answer, Tab changes the rest, Esc goes back", "dim"))

    def on_mount(self) -> None:
        self._say_reach()
        self.query_one(OptionList).focus()

    @on(Input.Changed)
    def _say_reach(self) -> None:
        """The words follow what is typed: what is read is what is answered."""
        self.calm.disturb()
        places = self.query_one(OptionList)
        marked = places.highlighted or 0
        try:
            until = self._until()
        except ArgumentTypeError as problem:
            places.set_options([])
            self._say(str(problem))
            return
        self._say("")
        pattern = self.query_one("#pattern", Input).value.strip()
        self._reaches = {scope: reach(scope, pattern, until) for scope in SCOPES}
        places.set_options(Option("", id=scope) for scope in SCOPES)
        places.highlighted = marked

    @on(OptionList.OptionHighlighted)
    def _mark(self, event: OptionList.OptionHighlighted) -> None:
        for scope, words in self._reaches.items():
            mark, style = (MARK, "reverse") if scope == event.option_id else (" " * len(MARK), "")
            event.option_list.replace_option_prompt(scope, Text(end="").append(f"{mark}… {words}", style))

    @on(Input.Submitted)
    def _to_the_answers(self) -> None:
        self.calm.disturb()
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _answer(self, event: OptionList.OptionSelected) -> None:
        if self.calm.left() or not event.option_id:
            self.calm.disturb()
            return
        pattern = self.query_one("#pattern", Input).value.strip()
        scope = SCOPES[event.option_id]
        self.answer(Remember(scope=scope, pattern=pattern, expires_after=span(self._until())))

    def action_back(self) -> None:
        self.answer(None)

    def _until(self) -> timedelta | None:
        given = self.query_one("#until", Input).value.strip()
        return duration(given) if given else None

    def _say(self, problem: str) -> None:
        self.query_one("#problem", Bar).put(Text(problem, "bold"))
