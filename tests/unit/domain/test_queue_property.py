"""Whatever agents, people, rules and time do to a session's calls, in any order: the queue keeps its word."""

from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from plangate_server.domain.approval_queue import (
    Answer,
    ask,
    by_person,
    cancelled,
    expired,
    joined,
    leave,
    settled,
)
from plangate_server.domain.approvals import NEXT_STATES, Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.authorization import Situation, authorize
from plangate_server.domain.errors import CallAlreadyDecided, MissingField, PromptNotActive, Refusal
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory
from plangate_server.domain.review import DecisionSource
from plangate_server.domain.session_life import confirm_full_access, set_mode
from plangate_server.domain.sessions import FullAccessState, SessionMode, begin
from plangate_server.domain.tools import Access, ToolKind, Verdict
from tests.helpers.domain import NOW
from tests.helpers.examples import repeatable

MINUTE = timedelta(minutes=1)
POLICY = Policy(tools={"look": Access.READ})
ENDS = {
    EventType.TOOL_CALL_DECIDED: ApprovalState.DECIDED,
    EventType.TOOL_CALL_CANCELLED: ApprovalState.CANCELLED,
    EventType.TOOL_CALL_EXPIRED: ApprovalState.EXPIRED,
}


class Queueing(RuleBasedStateMachine):
    """One session; ``asked`` holds the order of asking, and ``ended`` how each call was first seen to end."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.session = begin("acme", "s", NOW)
        self.calls: dict[str, Approval] = {}
        self.asked: list[str] = []
        self.ended: dict[str, Approval] = {}
        self.told: list[SessionEvent] = []
        self.tokens: list[str] = []

    @rule(tool=st.sampled_from(["bash", "bash", "bash", "look"]), minutes=st.none() | st.integers(1, 5))
    def ask(self, tool: str, minutes: int | None) -> None:
        call_id = f"c-{len(self.calls)}"
        fresh = Approval(
            f"{len(self.calls):032x}", "acme", "s", call_id, ToolKind.MCP, tool, "{}", self.now, "bot"
        )
        if minutes:
            fresh = replace(fresh, expire_time=self.now + minutes * MINUTE)
        self.asked.append(call_id)
        self.apply(ask(self.session, fresh, self.verdict(fresh), self.token(), self.now))

    @precondition(lambda self: self.calls)
    @rule(data=st.data(), decision=st.sampled_from(ApprovalDecision), right=st.booleans())
    def resolve(self, data: st.DataObject, decision: ApprovalDecision, right: bool) -> None:
        call = self.some_call(data)
        shown = call.authority_token if right else data.draw(st.sampled_from(["", "wrong", *self.tokens]))
        answer = Answer(decision, shown, "ada")
        refusals: tuple[type[Refusal], ...] = (PromptNotActive, MissingField)
        if self.is_over(call):
            refusals = (CallAlreadyDecided,)
        elif call.call_id == self.session.queue[0] and shown == call.authority_token:
            self.end(by_person(call, answer, self.now))
            return
        with pytest.raises(refusals):
            by_person(call, answer, self.now)

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        call = self.some_call(data)
        if self.is_over(call):
            with pytest.raises(CallAlreadyDecided):
                cancelled(call, self.now)
        else:
            self.end(cancelled(call, self.now))

    @rule(minutes=st.integers(1, 3), reverse=st.booleans())
    def let_time_pass(self, minutes: int, reverse: bool) -> None:
        """Everything overdue is settled one by one, in either order."""
        self.now += minutes * MINUTE
        for call_id in sorted(self.calls, reverse=reverse):
            if late := expired(self.calls[call_id], self.now):
                self.end(late)

    @rule(minutes=st.integers(1, 3))
    def let_time_pass_unseen(self, minutes: int) -> None:
        """Nobody has looked for what is overdue yet."""
        self.now += minutes * MINUTE

    @rule(mode=st.sampled_from(SessionMode), confirm=st.booleans())
    def change_mode(self, mode: SessionMode, confirm: bool) -> None:
        self.change(set_mode(self.session, mode, "ada", self.now))
        if self.session.full_access is FullAccessState.PENDING_CONFIRMATION:
            self.change(
                confirm_full_access(self.session, confirm=confirm, actor="ada", person="ada", now=self.now)
            )

    def change(self, change: SessionChange) -> None:
        """As a mode is changed: what a rule answers then leaves in the same change."""
        waiting = [self.calls[call_id] for call_id in change.session.queue]
        self.session = change.session
        ended = settled(waiting, self.verdict, self.now)
        if ended:
            change = joined(change, leave(change.session, ended, self.find, self.token(), self.now))
        self.apply(change)

    def end(self, call: Approval) -> None:
        self.apply(leave(self.session, [call], self.find, self.token(), self.now))

    def apply(self, change: SessionChange) -> None:
        self.session = change.session
        for call in change.approvals:
            before = self.calls.get(call.call_id)
            allowed = NEXT_STATES[before.state] if before else tuple(ApprovalState)
            assert call.state in allowed, "a call went where no call can go"
            self.calls[call.call_id] = call
            if not call.waits:
                assert call.call_id not in self.ended
                self.ended[call.call_id] = call
        self.told += change.events

    def verdict(self, call: Approval) -> Verdict:
        return authorize(Situation(call.call(), self.session.mode, POLICY, Memory(), self.now))

    def find(self, call_id: str) -> Approval:
        assert self.calls[call_id].waits
        return self.calls[call_id]

    def token(self) -> str:
        self.tokens.append(f"token {len(self.tokens)}")
        return self.tokens[-1]

    def some_call(self, data: st.DataObject) -> Approval:
        return self.calls[data.draw(st.sampled_from(sorted(self.calls)))]

    def is_over(self, call: Approval) -> bool:
        return not call.waits or (call.expire_time is not None and self.now >= call.expire_time)

    @invariant()
    def the_queue_holds_the_calls_that_wait_in_their_order(self) -> None:
        waiting = tuple(call_id for call_id in self.asked if self.calls[call_id].waits)
        assert self.session.queue == waiting
        assert self.session.can_send == (not waiting)

    @invariant()
    def exactly_the_first_is_active(self) -> None:
        active = [call.call_id for call in self.calls.values() if call.state is ApprovalState.ACTIVE]
        assert tuple(active) == self.session.queue[:1]

    @invariant()
    def no_other_call_and_no_other_token_answers(self) -> None:
        if not self.session.queue:
            return
        first = self.calls[self.session.queue[0]]
        for call_id in self.session.queue:
            call = self.calls[call_id]
            for token in ("", *self.tokens):
                right = call is first and token == first.authority_token
                if not right and not self.is_over(call):
                    with pytest.raises((PromptNotActive, MissingField)):
                        by_person(call, Answer(ApprovalDecision.APPROVED, token, "ada"), self.now)
        assert sum(token == first.authority_token for token in self.tokens) == 1

    @invariant()
    def what_has_ended_never_changes(self) -> None:
        for call_id, end in self.ended.items():
            assert self.calls[call_id] == end
            assert (end.state is ApprovalState.DECIDED) == (end.decision is not None)
            assert end.end_time is not None
        assert self.ended.keys() == {call.call_id for call in self.calls.values() if not call.waits}

    @invariant()
    def nobody_says_yes_but_a_person_or_a_rule(self) -> None:
        for end in self.ended.values():
            by_whom = (end.source, bool(end.reviewer), bool(end.rule))
            assert by_whom in {
                (None, False, False),
                (DecisionSource.MANUAL, True, False),
                (DecisionSource.AUTO, False, True),
            }
            assert (end.source is None) == (end.decision is None)

    @invariant()
    def every_call_is_told_once_at_each_end(self) -> None:
        begun = [e.approval.call_id for e in self.told if e.approval and e.type not in ENDS]
        ends = {e.approval.call_id: ENDS[e.type] for e in self.told if e.approval and e.type in ENDS}
        assert begun == self.asked
        assert ends == {call_id: end.state for call_id, end in self.ended.items()}
        assert sum(event.type in ENDS for event in self.told) == len(ends)


TestQueueing = Queueing.TestCase
TestQueueing.settings = settings(repeatable, stateful_step_count=30)
