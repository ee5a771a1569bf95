"""Tool calls wait in one queue per session; each ends exactly once, and only the active one is answered."""

from datetime import timedelta
from functools import partial

import pytest
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.approval_queue import (
    Answer,
    ask,
    by_person,
    by_rule,
    cancelled,
    check_prompt,
    check_waits,
    expired,
    joined,
    leave,
    settled,
)
from plangate_server.domain.approvals import NEXT_STATES, WAITING, Approval, ApprovalDecision, ApprovalState
from plangate_server.domain.errors import (
    CallAlreadyDecided,
    LimitExceeded,
    MissingField,
    PromptNotActive,
    Reason,
)
from plangate_server.domain.events import EventType, SessionChange
from plangate_server.domain.review import SERVICE, DecisionSource
from plangate_server.domain.sessions import Session, begin
from plangate_server.domain.tools import AuthorizationResult, ToolKind, Verdict
from tests.helpers.domain import LATER, NOW

QUEUED, ACTIVE, DECIDED, CANCELLED, EXPIRED = ApprovalState
ALLOW, CONFIRM, DENY = AuthorizationResult

ASK_A_PERSON = Verdict(CONFIRM, "default", "nobody knows")
ALLOWED = Verdict(ALLOW, "allow:tests", "tests are harmless")
FORBIDDEN = Verdict(DENY, "deny:push", "nobody pushes")

SECOND = timedelta(seconds=1)


def a_call(call_id: str = "c-1", command: str = "make") -> Approval:
    return Approval(f"id of {call_id}", "acme", "s", call_id, ToolKind.TERMINAL, "bash", command, NOW, "bot")


def an_active_call(call_id: str = "c-1") -> Approval:
    return replace(a_call(call_id), state=ACTIVE, active_time=NOW, authority_token=f"token of {call_id}")


def a_session(*queue: str) -> Session:
    return replace(begin("acme", "s", NOW), queue=queue)


def an_answer(decision: ApprovalDecision = ApprovalDecision.APPROVED, token: str = "token of c-1") -> Answer:
    return Answer(decision, token, "ada", "Mind the gap")


def nobody(call_id: str) -> Approval:
    raise AssertionError(f"{call_id} is not needed")


def types_of(change: SessionChange) -> list[EventType]:
    return [event.type for event in change.events]


ENDED = [
    by_person(an_active_call(), an_answer(), LATER),
    by_rule(a_call(), ALLOWED, LATER),
    replace(a_call(), state=CANCELLED, end_time=LATER),
    replace(a_call(), state=EXPIRED, end_time=LATER),
]


def test_the_first_call_is_shown_at_once() -> None:
    """Where nothing waits, a call is ACTIVE with its token and since when."""
    change = ask(a_session(), a_call(), ASK_A_PERSON, "t", LATER)
    active = replace(a_call(), state=ACTIVE, active_time=LATER, authority_token="t")
    assert change.approvals == (active,)
    assert change.sessions == (replace(a_session("c-1"), update_time=LATER),)
    (told,) = change.events
    assert (told.type, told.actor, told.time) == (EventType.TOOL_CALL_REQUESTED, "bot", LATER)
    assert (told.session, told.approval) == (change.session, active)


def test_another_call_waits_at_the_end() -> None:
    """Behind others a call is QUEUED, and has no token that anybody could show."""
    change = ask(a_session("a", "b"), a_call(), ASK_A_PERSON, "t", LATER)
    assert change.approvals == (a_call(),)
    assert change.session.queue == ("a", "b", "c-1")
    assert types_of(change) == [EventType.TOOL_CALL_REQUESTED]


@pytest.mark.parametrize("queue", [(), ("a", "b")])
@pytest.mark.parametrize(
    ("verdict", "decision", "feedback"),
    [
        (ALLOWED, ApprovalDecision.APPROVED, ""),
        (FORBIDDEN, ApprovalDecision.DENIED, "nobody pushes"),
    ],
)
def test_a_rule_answers_at_once(
    queue: tuple[str, ...], verdict: Verdict, decision: ApprovalDecision, feedback: str
) -> None:
    """The call never waits; the queue stays, and the rule and a no's reason are told."""
    change = ask(a_session(*queue), a_call(), verdict, "t", LATER)
    answer = change.approval
    assert (answer.state, answer.decision, answer.source) == (DECIDED, decision, DecisionSource.AUTO)
    assert (answer.rule, answer.feedback_text, answer.end_time) == (verdict.rule, feedback, LATER)
    assert (answer.authority_token, answer.active_time, answer.reviewer) == ("", None, "")
    assert change.approvals == (answer,)
    assert (change.session.queue, change.session.last_call) == (queue, "c-1")
    assert types_of(change) == [EventType.TOOL_CALL_REQUESTED, EventType.TOOL_CALL_DECIDED]
    assert [event.actor for event in change.events] == ["bot", SERVICE]


def test_so_many_calls_wait_and_no_more() -> None:
    """The thousandth has its place, the next is refused; what a rule answers needs no place."""
    waiting = [str(number) for number in range(limits.WAITING_CALLS - 1)]
    full = ask(a_session(*waiting), a_call(), ASK_A_PERSON, "t", LATER).session
    assert len(full.queue) == limits.WAITING_CALLS == 1000
    with pytest.raises(LimitExceeded) as refused:
        ask(full, a_call("c-2"), ASK_A_PERSON, "t", LATER)
    assert (refused.value.reason, refused.value.field) == (Reason.LIMIT_EXCEEDED, "call_id")
    assert refused.value.metadata == {"limit": "waiting_calls", "maximum": "1000", "actual": "1001"}
    assert ask(full, a_call("c-2"), ALLOWED, "t", LATER).approval.state is DECIDED


@pytest.mark.parametrize("decision", ApprovalDecision)
def test_a_person_answers_the_active_call(decision: ApprovalDecision) -> None:
    """The call keeps all that was asked, and tells who said what and when."""
    call = an_active_call()
    answered = by_person(call, an_answer(decision), LATER)
    assert answered == replace(
        call,
        state=DECIDED,
        decision=decision,
        source=DecisionSource.MANUAL,
        reviewer="ada",
        feedback_text="Mind the gap",
        end_time=LATER,
    )


def test_an_answer_needs_the_token() -> None:
    """Whoever did not see the prompt does not answer it."""
    with pytest.raises(MissingField) as refused:
        by_person(an_active_call(), an_answer(token=""), LATER)
    assert refused.value.field == "authority_token"


@pytest.mark.parametrize("token", ["another", "token of c-2", "token of c-1 "])
def test_another_token_answers_nothing(token: str) -> None:
    """Only the active prompt's own, letter by letter."""
    with pytest.raises(PromptNotActive) as refused:
        check_prompt(an_active_call(), token)
    assert refused.value.reason is Reason.PROMPT_NOT_ACTIVE
    assert refused.value.metadata == {"session_id": "s", "call_id": "c-1"}


@pytest.mark.parametrize("token", ["", "token of c-1"])
def test_a_call_that_waits_behind_others_is_not_answered(token: str) -> None:
    """Not with an empty token either, which is the one that it has."""
    with pytest.raises((PromptNotActive, MissingField)):
        by_person(a_call(), an_answer(token=token), LATER)


def test_an_answer_may_be_so_long() -> None:
    """64 KiB of words, and not a byte more."""
    longest = replace(an_answer(), feedback_text="x" * limits.FEEDBACK_BYTES)
    assert by_person(an_active_call(), longest, LATER).feedback_text == longest.feedback_text
    with pytest.raises(LimitExceeded) as refused:
        by_person(an_active_call(), replace(longest, feedback_text=longest.feedback_text + "x"), LATER)
    assert refused.value.field == "feedback_text"


@pytest.mark.parametrize("call", [a_call(), an_active_call()], ids=["queued", "active"])
def test_a_call_that_waits_is_taken_back(call: Approval) -> None:
    """Whether people see it or not."""
    assert cancelled(call, LATER) == replace(call, state=CANCELLED, end_time=LATER)


@pytest.mark.parametrize("call", ENDED, ids=lambda call: call.state.name + call.rule)
@pytest.mark.parametrize("late", [False, True])
def test_what_is_over_stays_as_it_is(call: Approval, late: bool) -> None:
    """No answer, no taking back and no expiry; the refusal tells what it came to, by whom and when."""
    if late:
        call = replace(call, expire_time=LATER)
    for verb in (partial(by_person, answer=an_answer()), cancelled, check_waits):
        with pytest.raises(CallAlreadyDecided) as refused:
            verb(call, now=LATER + SECOND)
        assert refused.value.reason is Reason.ALREADY_DECIDED
        assert refused.value.metadata == {
            "call_id": "c-1",
            "outcome": (call.decision or call.state).name,
            "decided_by": call.reviewer or call.rule or SERVICE,
            "decide_time": LATER.isoformat(),
        }
    assert expired(call, LATER + SECOND) is None


@pytest.mark.parametrize("call", [a_call(), an_active_call()], ids=["queued", "active"])
def test_a_call_expires_when_its_time_is_over(call: Approval) -> None:
    """Not a moment earlier, and one without an end never."""
    assert expired(call, LATER) is None
    due = replace(call, expire_time=LATER)
    assert expired(due, LATER - timedelta(microseconds=1)) is None
    assert expired(due, LATER) == replace(due, state=EXPIRED, end_time=LATER)


def test_too_late_is_too_late_before_anyone_has_looked() -> None:
    """An overdue call is refused as EXPIRED, also while it still stands in the queue."""
    due = replace(an_active_call(), expire_time=LATER)
    assert by_person(due, an_answer(), LATER - timedelta(microseconds=1)).state is DECIDED
    for verb in (partial(by_person, answer=an_answer()), cancelled):
        with pytest.raises(CallAlreadyDecided) as refused:
            verb(due, now=LATER)
        assert refused.value.metadata["outcome"] == "EXPIRED"
        assert refused.value.metadata["decide_time"] == LATER.isoformat()


def test_the_next_call_is_shown_when_the_first_leaves() -> None:
    """It becomes ACTIVE with a token of its own, in the same change."""
    answered = by_person(an_active_call(), an_answer(), LATER)
    change = leave(a_session("c-1", "c-2", "c-3"), [answered], a_call, "t", LATER)
    shown = replace(a_call("c-2"), state=ACTIVE, active_time=LATER, authority_token="t")
    assert change.approvals == (answered, shown)
    assert change.sessions == (replace(a_session("c-2", "c-3"), last_call="c-1", update_time=LATER),)
    (told,) = change.events
    assert (told.session, told.approval, told.actor) == (change.session, answered, "ada")


def test_a_call_that_leaves_from_behind_changes_no_prompt() -> None:
    """Who has seen the active prompt can still answer it."""
    change = leave(a_session("c-1", "c-2", "c-3"), [cancelled(a_call("c-2"), LATER)], nobody, "t", LATER)
    assert change.session.queue == ("c-1", "c-3")
    assert [each.call_id for each in change.approvals] == ["c-2"]


def test_the_last_call_leaves_an_empty_queue() -> None:
    """Nobody is shown anything then."""
    change = leave(a_session("c-1"), [cancelled(an_active_call(), LATER)], nobody, "t", LATER)
    assert (change.session.queue, len(change.approvals)) == ((), 1)


@pytest.mark.parametrize(
    ("ended", "type", "actor", "last"),
    [
        (by_person(an_active_call(), an_answer(), LATER), EventType.TOOL_CALL_DECIDED, "ada", "c-1"),
        (by_rule(an_active_call(), ALLOWED, LATER), EventType.TOOL_CALL_DECIDED, SERVICE, "c-1"),
        (cancelled(an_active_call(), LATER), EventType.TOOL_CALL_CANCELLED, "bot", "before"),
        (replace(ENDED[3], end_time=LATER), EventType.TOOL_CALL_EXPIRED, SERVICE, "before"),
    ],
    ids=["person", "rule", "agent", "time"],
)
def test_each_end_is_told(ended: Approval, type: EventType, actor: str, last: str) -> None:
    """Who ended it, how; and only an answer is the session's last decision."""
    session = replace(a_session("c-1"), last_call="before")
    change = leave(session, [ended], nobody, "t", LATER)
    (told,) = change.events
    assert (told.type, told.actor, told.approval) == (type, actor, ended)
    assert change.session.last_call == last


def test_several_calls_leave_together() -> None:
    """Each is told in its turn, and the first of the rest is shown once."""
    ended = [by_rule(a_call(each), ALLOWED, LATER) for each in ("c-1", "c-3")]
    change = leave(a_session("c-1", "c-2", "c-3", "c-4"), ended, a_call, "t", LATER)
    assert change.session.queue == ("c-2", "c-4")
    assert [(each.call_id, each.state) for each in change.approvals] == [
        ("c-1", DECIDED),
        ("c-3", DECIDED),
        ("c-2", ACTIVE),
    ]
    assert [event.approval for event in change.events] == ended
    assert change.session.last_call == "c-3"


def test_calls_are_looked_at_again() -> None:
    """Those that a rule answers by now are answered, in their order; the others go on waiting."""
    verdicts = {"c-1": ASK_A_PERSON, "c-2": ALLOWED, "c-3": FORBIDDEN}
    waiting = [an_active_call(), a_call("c-2"), a_call("c-3")]
    found = settled(waiting, lambda approval: verdicts[approval.call_id], LATER)
    assert found == [by_rule(waiting[1], ALLOWED, LATER), by_rule(waiting[2], FORBIDDEN, LATER)]


def test_of_two_changes_the_later_holds() -> None:
    """Events follow each other, and a call that both tell of is as the second left it."""
    first = ask(a_session(), a_call(), ASK_A_PERSON, "t", NOW)
    then = leave(first.session, [cancelled(first.approval, LATER)], nobody, "t", LATER)
    both = joined(first, then)
    assert (both.sessions, both.approvals) == (then.sessions, then.approvals)
    assert both.events == (*first.events, *then.events)
    assert joined(first, SessionChange()).sessions == first.sessions


def test_every_state_has_its_ways_out() -> None:
    """What waits can end in each way; what has ended leads nowhere."""
    assert NEXT_STATES.keys() == set(ApprovalState)
    assert {state for state in ApprovalState if NEXT_STATES[state]} == WAITING == {QUEUED, ACTIVE}
    for state in WAITING:
        assert {DECIDED, CANCELLED, EXPIRED} <= set(NEXT_STATES[state])
