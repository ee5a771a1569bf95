"""One plan: all that is needed to decide, the decision, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from plangate._common.text_safety import visible
from plangate.cli._deciding import outcome_of
from plangate.cli._decisions import is_last_approval, sends
from plangate.cli._standing import is_waiting
from plangate.cli._words import counted
from plangate.errors import PlangateError
from plangate.tui.deciding import Deciding
from plangate.tui.desk import Desk
from plangate.tui.editing import edit_plan
from plangate.tui.help import Key
from plangate.tui.plan_page import (
    Look,
    changes_part,
    comment_part,
    look_at,
    plan_page,
    stages,
    text_part,
)
from plangate.tui.rows import waiting_time
from plangate.tui.words_box import WordsBox
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent

APPROVE, REJECT, CHANGES = "approve", "rejectAndTellWhatToDoDifferently", "requestChanges"


class PlanScreen(Deciding):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "request_changes", "request changes"),
        Binding("e", "edit", "edit"),
        Binding("c", "comment", "comment"),
        Binding("d", "changes", "what changed"),
    ]
    DECIDING: ClassVar[frozenset[str]] = Deciding.DECIDING | {"request_changes", "edit", "comment"}
    KEYS: ClassVar[Sequence[Key]] = (
        ("1 Enter", "approve what is shown"),
        ("2 Esc", "reject it, with words"),
        ("r", "request changes, with words"),
        ("e", "edit it in $EDITOR, then approve it as edited"),
        ("c", "comment on it, or on some of its lines"),
        ("d", "go to what changed"),
        ("j k ↓ ↑", "scroll by a line"),
        ("Space b", "scroll by a page"),
        ("g G", "to the top, to the end"),
        ("n", "the next that waits"),
        ("u", "up to the inbox"),
        ("?", "show these keys"),
        ("q", "quit"),
    )

    def __init__(self, desk: Desk, plan_uri: str) -> None:
        super().__init__(desk, plan_uri)
        self._look: Look | None = None
        self._changes_at = 0
        self._waited = ""
        self._looking = asyncio.Lock()
        self._must_look_again = False
        self._said_unread: set[str] = set()
        """The comments, and maybe the text, that were not seen yet when the person was told so."""

    def on_mount(self) -> None:
        self.look()

    def on_key(self) -> None:
        """Only who presses a key is known to be there: until then, nobody has seen what is shown."""
        if self._look is not None and self.is_settled:
            self.desk.shown[self.key].add(self._plan.revision)
            if not self._unread_text():
                self.desk.read_whole[self.key].add(self._plan.revision)

    def heard(self, event: ReviewEvent | None) -> None:
        super().heard(event)
        if event is not None and event.plan_uri == self.key:
            self.look()

    def caught_up(self) -> None:
        super().caught_up()
        self.look()

    @property
    def is_open(self) -> bool:
        return self._look is not None and is_waiting(self._look.seen.plan.review)

    def offered(self) -> tuple[Key, ...]:
        return (
            *(("Enter", "approve"), ("Esc", "reject"), ("r", "request changes")),
            *(("e", "edit"), ("c", "comment")),
        )

    def waits(self) -> str:
        return waiting_time(self._plan.review)

    def goes_along(self) -> str:
        if self._look is None or not (self.is_open and self.desk.may_decide):
            return ""
        seen = self._look.seen
        if not (words := sends(len(seen.remarks))):
            return ""
        unread = len(self._unread_comments())
        not_seen = f", {unread} not seen yet" if unread else ""
        last = "" if is_last_approval(seen.plan.review) else "; an approval only if it is the last"
        return f"a decision {words}{not_seen}{last}"

    def named(self) -> str:
        return visible(self._look.seen.plan.name if self._look else self.key)

    def standing(self) -> Text:
        return stages(self._plan) if self._look is not None else Text("")

    def update_bars(self) -> None:
        super().update_bars()
        if self._look is not None and self.is_open and self.waits() != self._waited:
            self._draw(self._look, is_new=False)

    def look(self) -> None:
        self.run_worker(self.look_again())

    async def look_again(self) -> None:
        """Show what the gate has now; however often it is asked for, the last look is after the last time."""
        self._must_look_again = True
        async with self._looking:
            try:
                while self._must_look_again:
                    self._must_look_again = False
                    self._show(await look_at(self.desk.client, self.key, self.desk.shown[self.key]))
            except PlangateError as problem:
                self.tell(visible(problem.words))

    def _show(self, look: Look) -> None:
        before, self._look = self._look, look
        plan = look.seen.plan
        self.desk.inbox.take(plan)
        is_new = before is None or _text_of(before) != _text_of(look)
        self._draw(look, is_new=is_new)
        if is_new:
            self._said_unread.clear()
            self.changed()
        if before is not None and before.seen.plan.revision != plan.revision and self.is_open:
            is_here = f"revision {plan.revision} by {visible(look.seen.author)} is here"
            self.tell(f"{is_here}: this is what changed" if self._changes_at else is_here)
            self.call_after_refresh(self.reader.action_scroll_to_line, self._changes_at)
        self.update_bars()

    def _draw(self, look: Look, *, is_new: bool) -> None:
        self._waited = self.waits()
        page = plan_page(look)
        self._changes_at = page.changes_at
        self.reader.show(page.lines, self.desk.read[self.key], is_new=is_new)

    def action_changes(self) -> None:
        if not self._changes_at:
            self.tell("there is no earlier revision that you saw, or that was decided about")
        self.reader.action_scroll_to_line(self._changes_at)

    def action_approve(self) -> None:
        if self.may_decide() and not self._says_what_is_unread():
            self.begin(self._decide(self._plan, APPROVE))

    def action_reject(self) -> None:
        if self.may_decide():
            title, must_say = "Reject: what should be done differently?", "say what to do differently"
            self.begin(self._decide_with_words(self._plan, REJECT, title, must_say))

    def action_request_changes(self) -> None:
        if self.may_decide():
            title, must_say = "Request changes: what should the agent change?", "say what to change"
            self.begin(self._decide_with_words(self._plan, CHANGES, title, must_say))

    def action_edit(self) -> None:
        if self.may_decide():
            self.begin(edit_plan(self, self._plan))

    def action_comment(self) -> None:
        if self._look is not None and not self.is_elsewhere:
            self.begin(self._comment(self._plan))

    def _says_what_is_unread(self) -> bool:
        """Whether the person hears that they approve what was not on the screen. They hear it once."""
        text, comments = self._unread_text(), self._unread_comments()
        unread = {*comments, *(["text"] if text else ())}
        if unread <= self._said_unread:
            return False
        self._said_unread |= unread
        counts = [text, counted(len(comments), "comment") if comments else ""]
        self.tell(f"not seen yet: {' and '.join(filter(None, counts))}; Enter approves all the same")
        self.changed()
        return True

    def _unread_text(self) -> str:
        """How much of what would be done was not on the screen. Whoever has read all of the revision before
        and what changed since then knows this one.
        """
        assert self._look is not None, "nothing is shown yet"
        seen = self._look.seen
        lines, what = self.reader.unseen(text_part(seen.plan)), "of the plan"
        if seen.changes and seen.changes.from_revision in self.desk.read_whole[self.key]:
            changed = self.reader.unseen(changes_part(seen))
            lines, what = min((lines, what), (changed, "of what changed"))
        return f"{counted(lines, 'line')} {what}" if lines else ""

    def _unread_comments(self) -> list[str]:
        """The ids of what others said, as far as it was not on the screen."""
        assert self._look is not None, "nothing is shown yet"
        others = [each for each in self._look.seen.remarks if each.author != self.desk.me.name]
        return [each.comment_id for each in others if self.reader.unseen(comment_part(each))]

    @property
    def _plan(self) -> Plan:
        """The very plan that is on the screen."""
        assert self._look is not None, "nothing is shown yet"
        return self._look.seen.plan

    async def _decide_with_words(self, plan: Plan, option: str, title: str, must_say: str) -> None:
        about = f"{option} {plan.plan_uri}"
        box = WordsBox(self.desk, about, title, must_say=must_say, along=self.goes_along)
        words = await self.app.push_screen_wait(box)
        if words and await self._decide(plan, option, words.text):
            self.desk.typed.pop(about, None)

    async def _decide(self, plan: Plan, option: str, words: str = "") -> bool:
        async def call() -> str:
            decision = await self.desk.client.decide(plan, option, words)
            return f"you decided: {outcome_of(decision)}"

        return await self.send(call)

    async def _comment(self, plan: Plan) -> None:
        about = f"comment {plan.plan_uri}"
        title, lines = "Comment: what do you want to say?", plan.plan.count("\n") + 1
        box = WordsBox(self.desk, about, title, must_say="say something", lines=lines)
        words = await self.app.push_screen_wait(box)
        if words is None:
            return

        async def call() -> str:
            await self.desk.client.comment(plan, *words)
            return "your comment is on the plan"

        if await self.send(call):
            self.desk.typed.pop(about, None)


def _text_of(look: Look) -> tuple[str, str]:
    """What a decision is about."""
    plan = look.seen.plan
    return plan.digest, plan.review.approval_request_id
