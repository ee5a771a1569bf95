"""The program: it follows the gate's streams, and tells every screen what they tell."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import ClassVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType

from plangate.cli._exits import FAILED
from plangate.cli.watch import NOT_ASKED_FOR
from plangate.errors import GateUnreachable, NotFound, PlangateError
from plangate.tui.call_view import CallScreen
from plangate.tui.desk import Desk
from plangate.tui.frame import Frame, Open
from plangate.tui.inbox import InboxScreen
from plangate.tui.plan_view import PlanScreen
from plangate.tui.reader import Reader
from plangate.tui.state import SESSION
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState

ASKED_FOR = [each for each in ReviewEventType.values() if each not in NOT_ASKED_FOR]
ENDED = "the gate tells nothing more: start 'plangate review' again"


class ReviewApp(App[str]):
    """Ends with what the person should know, or with nothing if they just left."""

    CSS_PATH = "look.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", show=False)]

    def __init__(self, desk: Desk) -> None:
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.desk = desk

    def get_default_screen(self) -> InboxScreen:
        return InboxScreen(self.desk)

    def on_mount(self) -> None:
        self.desk.connection.changed = self._line_changed
        self.run_worker(self._until_it_ends(self._follow_plans()))
        self.run_worker(self._until_it_ends(self._follow_calls()))

    @on(Open)
    def _open(self, wanted: Open) -> None:
        key = self.desk.looked_at = wanted.key
        is_call = key.startswith(SESSION)
        screen = CallScreen(self.desk, key.removeprefix(SESSION)) if is_call else PlanScreen(self.desk, key)
        if wanted.instead:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    @on(Reader.Moved)
    def _moved(self) -> None:
        for screen in self._frames():
            screen.update_bars()

    async def _follow_plans(self) -> None:
        async for event in self.desk.client.watch(*ASKED_FOR):
            self.desk.inbox.hear(event)
            self._tell_screens(event)

    async def _follow_calls(self) -> None:
        async for told in self.desk.client.prompts():
            self.desk.inbox.hear_call(told)
            self._tell_screens(None)

    async def _until_it_ends(self, following: Awaitable[None]) -> None:
        """Without a stream the screen would stand still: so the program ends with it, and says why."""
        try:
            await following
            words = ENDED
        except PlangateError as problem:
            words = problem.words
        await self._end(words)

    async def _end(self, words: str) -> None:
        async with self.desk.terminal:
            self.exit(words, return_code=FAILED)

    def _tell_screens(self, event: ReviewEvent | None) -> None:
        for screen in self._frames():
            screen.heard(event)

    def _line_changed(self) -> None:
        if not self.desk.connection.problem:
            self.run_worker(self._catch_up())
        for screen in self._frames():
            screen.update_bars()

    async def _catch_up(self) -> None:
        """The streams go on by themselves; what is too long ago for them is asked for."""
        client, inbox = self.desk.client, self.desk.inbox
        asked_before = inbox.asked_calls()
        try:
            for plan in [each for each in inbox.waiting() if isinstance(each, Plan)]:
                await self._fetch(plan)
            active = client.tool_calls(ApprovalState.APPROVAL_STATE_ACTIVE)
            inbox.forget_calls(asked_before - {(call.session_id, call.call_id) async for call in active})
        except GateUnreachable:
            return  # it is away again; when it is back, this is done again
        except PlangateError as problem:
            await self._end(problem.words)
            return
        for screen in self._frames():
            screen.caught_up()

    async def _fetch(self, plan: Plan) -> None:
        try:
            self.desk.inbox.take(await self.desk.client.get_plan(plan))
        except NotFound:
            self.desk.inbox.forget_plan(plan.plan_uri)

    def _frames(self) -> list[Frame]:
        return [screen for screen in self.screen_stack if isinstance(screen, Frame)]
