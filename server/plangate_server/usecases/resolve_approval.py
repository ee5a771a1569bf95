"""ResolveApproval: a person answers the active prompt; and it is remembered, if they say so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain import limits
from plangate_server.domain.approval_queue import Answer, by_person, by_rule, leave
from plangate_server.domain.approvals import Approval, ApprovalDecision
from plangate_server.domain.errors import InvalidField, LimitExceeded, MissingField
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.identity import Principal
from plangate_server.domain.remembering import Remembered, Scope, check_pattern, same_reach
from plangate_server.domain.signatures import signature
from plangate_server.domain.tools import AuthorizationResult
from plangate_server.ports import Reading, RequestKey, World, Writing
from plangate_server.usecases.break_glass import check_glass
from plangate_server.usecases.judging import Judge, judged
from plangate_server.usecases.lookup import known_session, the_approval
from plangate_server.usecases.refusals import Attempt, decide_once
from plangate_server.usecases.settling import Settling


class Remember(Struct, frozen=True):
    """How to remember an answer."""

    scope: Scope
    pattern: str = ""
    expires_after: timedelta | None = None


class ResolveApproval(Struct, frozen=True):
    session_id: str
    call_id: str
    authority_token: str
    decision: ApprovalDecision | None
    remember: Remember | None = None
    feedback_text: str = ""
    break_glass: str = ""
    key: RequestKey | None = None


async def resolve_approval(world: World, principal: Principal, command: ResolveApproval) -> SessionChange:
    """The call as it was answered, and what is remembered of that."""
    decision = _checked(command)
    token, remembered_id, now = world.ids.secret(), world.ids.new(), world.clock.now()
    settling = Settling(world, now)
    answer = Answer(
        decision,
        command.authority_token,
        principal.name,
        command.feedback_text,
        principal.person,
        command.break_glass,
    )

    def record(judge: Judge, writing: Writing) -> SessionChange:
        session = known_session(writing, command.session_id, command.call_id)
        approval = the_approval(writing, command.session_id, command.call_id)
        check_glass(principal, command.break_glass, yes=answer.is_yes)
        memory = writing.memory(command.session_id)
        answered = by_person(approval, answer, now, four_eyes=world.policies.current.four_eyes)
        if answer.is_yes:
            verdict = judge.verdict(session, memory, approval)
            if verdict.result is AuthorizationResult.DENY:
                answered = by_rule(approval, verdict, now)  # a deny that came meanwhile is final
        kept = _to_remember(command, answered, remembered_id, principal, now)
        ended = [answered]
        if kept is not None:
            rest = replace(session, queue=tuple(each for each in session.queue if each != command.call_id))
            others = [each for each in memory if not same_reach(each, kept)]
            ended += settling.ended(writing, rest, [*others, kept])
        find = partial(the_approval, writing, command.session_id)
        change = leave(session, ended, find, token, now)
        change = change if kept is None else _with_memory(change, kept, memory)
        return _with_glass(change, answer, now) if answered.break_glass else change

    attempt = Attempt(
        "ResolveApproval", decision.name, session_id=command.session_id, call_id=command.call_id
    )

    async def write(judge: Judge) -> SessionChange:
        return await decide_once(world, principal, command.key, attempt, partial(record, judge))

    def find(reading: Reading) -> Approval | None:
        return reading.approval(command.session_id, command.call_id)

    return await judged(world, principal, find, write) if answer.is_yes else await write(Judge(world))


def _checked(command: ResolveApproval) -> ApprovalDecision:
    if not command.session_id:
        raise MissingField("session_id", "say which session the prompt is of")
    if not command.call_id:
        raise MissingField("call_id", "say which call you answer")
    if command.decision is None:
        raise MissingField("decision", "say yes or no")
    limits.check_id("session_id", command.session_id)
    limits.check_id("call_id", command.call_id)
    remember = command.remember
    for_session = command.decision is ApprovalDecision.APPROVED_FOR_SESSION
    if for_session and remember is not None and remember.scope is not Scope.SESSION:
        raise InvalidField(
            "remember.scope", "reaches further than the session that is approved: send APPROVED instead"
        )
    limits.check_wait("remember.expires_after", remember.expires_after if remember else None)
    return command.decision


def _to_remember(
    command: ResolveApproval, approval: Approval, remembered_id: str, principal: Principal, now: datetime
) -> Remembered | None:
    wanted = command.remember
    if wanted is None and command.decision is ApprovalDecision.APPROVED_FOR_SESSION:
        wanted = Remember(Scope.SESSION)
    if wanted is None or approval.rule:
        return None
    signed = signature(approval.kind, approval.command)
    if signed is None:
        field = "remember" if command.remember else "decision"
        raise InvalidField(
            field, "cannot be remembered: the call is compound or cannot be read; answer it this once"
        )
    if wanted.pattern:
        signed = check_pattern(approval.kind, approval.tool, approval.command, wanted.pattern)
    return Remembered(
        remembered_id,
        approval.kind,
        approval.tool,
        signed,
        is_pattern=bool(wanted.pattern),
        allows=approval.decision is not ApprovalDecision.DENIED,
        scope=wanted.scope,
        reviewer=principal.name,
        person=principal.person,
        create_time=now,
        session_id=approval.session_id if wanted.scope is Scope.SESSION else "",
        expire_time=now + wanted.expires_after if wanted.expires_after else None,
    )


def _with_memory(change: SessionChange, kept: Remembered, memory: Sequence[Remembered]) -> SessionChange:
    """The answer, and that it is remembered in the place of what was remembered for the same calls."""
    replaced = tuple(each for each in memory if same_reach(each, kept))
    now = kept.create_time
    _check_room(len([each for each in memory if each.holds(now) and each not in replaced]))
    session = change.session
    told = SessionEvent(
        EventType.DECISION_REMEMBERED,
        kept.create_time,
        kept.reviewer,
        session.workspace,
        session,
        remembered=kept,
    )
    answered, *others = change.events
    return replace(change, events=(answered, told, *others), remembered=(kept,), forgotten=replaced)


def _with_glass(change: SessionChange, answer: Answer, now: datetime) -> SessionChange:
    """That somebody went past the rules stands in the log before what they did."""
    session = change.session
    told = SessionEvent(
        EventType.BREAK_GLASS_USED,
        now,
        answer.reviewer,
        session.workspace,
        session,
        change.approval,
        message=answer.break_glass,
    )
    return replace(change, events=(told, *change.events))


def _check_room(remembered: int) -> None:
    if remembered >= limits.REMEMBERED:
        raise LimitExceeded("remembered", limits.REMEMBERED, remembered + 1, "remember")
