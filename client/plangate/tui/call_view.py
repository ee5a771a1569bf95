"""The tool call that a session waits for: exactly what would be done, and the answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from plangate._calls.reviewing import Answered
from plangate._common.text_safety import visible
from plangate.cli._tool_calls import answer_of
from plangate.tui.call_page import call_page
from plangate.tui.deciding import Deciding
from plangate.tui.desk import Desk
from plangate.tui.help import Key
from plangate.tui.reader import Read
from plangate.tui.remember_box import RememberBox
from plangate.tui.rows import waiting_time
from plangate.tui.state import SESSION
from plangate.tui.words_box import WordsBox
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalPrompt,
    Remember,
    WatchApprovalsResponse,
)

CANNOT = "an answer to this call cannot be remembered: it is not one plain command"


class CallScreen(Deciding):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "approve_for_session", "for this session"),
        Binding("m", "remember", "remember"),
    ]
    DECIDING: ClassVar[frozenset[str]] = Deciding.DECIDING | {"approve_for_session", "remember"}
    KEYS: ClassVar[Sequence[Key]] = (
        ("1 Enter", "approve this call, this once"),
        ("2 Esc", "deny it, with words"),
        ("s", "approve it, and every call that is the same in this session"),
        ("m", "approve it, and choose which calls are not asked about again"),
        ("j k ↓ ↑", "scroll by a line"),
        ("Space b", "scroll by a page"),
        ("n", "the next that waits"),
        ("u", "up to the inbox"),
        ("?", "show these keys"),
        ("q", "quit"),
    )

    def __init__(self, desk: Desk, session_id: str) -> None:
        super().__init__(desk, f"{SESSION}{session_id}")
        self._session_id = session_id
        self._told: WatchApprovalsResponse | None = None
        self._waited = ""
        self._read: Read = {}

    def on_mount(self) -> None:
        self._show()

    def heard(self, event: ReviewEvent | None) -> None:
        super().heard(event)
        self._show()

    def caught_up(self) -> None:
        super().caught_up()
        self._show()

    @property
    def is_open(self) -> bool:
        return self._told is not None and self._told.HasField("prompt")

    def offered(self) -> tuple[Key, ...]:
        once = ("Enter", "approve once"), ("Esc", "deny")
        if not self._prompt.can_remember:
            return once
        return *once, ("s", "for this session"), ("m", "remember …")

    def waits(self) -> str:
        return waiting_time(self._prompt)

    def named(self) -> str:
        return f"session {visible(self._session_id)}"

    def standing(self) -> Text:
        return Text("")

    def update_bars(self) -> None:
        super().update_bars()
        if self._told is not None and self.is_open and self.waits() != self._waited:
            self._draw(is_new=False)

    def _draw(self, *, is_new: bool) -> None:
        assert self._told is not None, "nothing is shown yet"
        self._waited = self.waits() if self.is_open else ""
        self._read = {} if is_new else self._read
        self.reader.show(call_page(self._told), self._read, is_new=is_new)

    def _show(self) -> None:
        told = self.desk.inbox.calls.get(self._session_id)
        if told is None or told == self._told:
            return
        before, self._told = self._told, WatchApprovalsResponse()
        self._told.CopyFrom(told)
        is_new = before is None or before.prompt != told.prompt
        self._draw(is_new=is_new)
        if is_new:
            self.changed()
            self.reader.action_scroll_to_line(0)

    def action_approve(self) -> None:
        if self.may_decide():
            self.begin(self._approve(self._prompt))

    def action_reject(self) -> None:
        if self.may_decide():
            self.begin(self._deny(self._prompt))

    def action_approve_for_session(self) -> None:
        if self._may_remember():
            self.begin(self._approve(self._prompt, for_session=True))

    def action_remember(self) -> None:
        if self._may_remember():
            self.begin(self._remember(self._prompt))

    @property
    def _prompt(self) -> ApprovalPrompt:
        """The very call that is on the screen."""
        assert self._told is not None, "nothing is shown yet"
        return self._told.prompt

    def _may_remember(self) -> bool:
        if not self.may_decide():
            return False
        if not self._prompt.can_remember:
            self.tell(CANNOT)
        return self._prompt.can_remember

    async def _approve(
        self, prompt: ApprovalPrompt, *, for_session: bool = False, remember: Remember | None = None
    ) -> None:
        async def call() -> str:
            word: Answered = "approved_for_session" if for_session else "approved"
            return _said(await self.desk.client.answer(prompt, word, remember=remember))

        await self.send(call)

    async def _remember(self, prompt: ApprovalPrompt) -> None:
        remember = await self.app.push_screen_wait(RememberBox(prompt))
        if remember is not None:
            await self._approve(prompt, remember=remember)

    async def _deny(self, prompt: ApprovalPrompt) -> None:
        about = f"deny {prompt.session_id} {prompt.call_id}"
        title = "Deny: what should be done differently?"
        box = WordsBox(self.desk, about, title, must_say="say what to do differently")
        words = await self.app.push_screen_wait(box)
        if words is None:
            return

        async def call() -> str:
            return _said(await self.desk.client.answer(prompt, "denied", words.text))

        if await self.send(call):
            self.desk.typed.pop(about, None)


def _said(answered: Approval) -> str:
    return f"{visible(answered.call_id)}: {visible(answer_of(answered))}"
