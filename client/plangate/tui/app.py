"""The program: it follows the gate's streams, and tells every screen what they tell."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType

from plangate.cli.watch import NOT_ASKED_FOR
from plangate.errors import PlangateError
from plangate.tui.call_view import CallScreen
from plangate.tui.desk import Desk
from plangate.tui.frame import Frame, Open
from plangate.tui.inbox import InboxScreen
from plangate.tui.plan_view import PlanScreen
from plangate.tui.state import SESSION
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalState

ASKED_FOR = [each for each in ReviewEventType.values() if each not in NOT_ASKED_FOR]


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
        self.run_worker(self._follow_plans())
        self.run_worker(self._follow_calls())

    @on(Open)
    def _open(self, wanted: Open) -> None:
        key = wanted.key
        is_call = key.startswith(SESSION)
        screen = CallScreen(self.desk, key.removeprefix(SESSION)) if is_call else PlanScreen(self.desk, key)
        if wanted.instead:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    async def _follow_plans(self) -> None:
        try:
            async for event in self.desk.client.watch(*ASKED_FOR):
                self.desk.inbox.hear(event)
                self._tell_screens(event)
        except PlangateError as problem:
            self.exit(problem.words)

    async def _follow_calls(self) -> None:
        try:
            async for told in self.desk.client.prompts():
                self.desk.inbox.hear_call(told)
                self._tell_screens(None)
        except PlangateError as problem:
            self.exit(problem.words)

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
        try:
            for plan in [each for each in inbox.waiting() if isinstance(each, Plan)]:
                inbox.take(await client.get_plan(plan))
            active = client.tool_calls(ApprovalState.APPROVAL_STATE_ACTIVE)
            inbox.forget_calls_except([(call.session_id, call.call_id) async for call in active])
        except PlangateError:
            return  # it is away again; when it is back, this is done again
        for screen in self._frames():
            screen.caught_up()

    def _frames(self) -> list[Frame]:
        return [screen for screen in self.screen_stack if isinstance(screen, Frame)]
