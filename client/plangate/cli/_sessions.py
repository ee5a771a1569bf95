"""Sessions of agents, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from plangate._calls.words import word_of
from plangate._common.text_safety import visible
from plangate.cli._style import Style, styled
from plangate.cli._tables import Cell
from plangate.cli._tool_calls import answer_of, first_line
from plangate.cli._words import clock, counted, spoken
from plangate_proto.agent.v1.agent_session_service_pb2 import FullAccessState, Session, SessionMode
from plangate_proto.agent.v1.session_state_pb2 import FsmState

STYLES = {
    SessionMode.SESSION_MODE_PLAN: Style.MOVING,
    SessionMode.SESSION_MODE_FULL_ACCESS: Style.BAD,
}


def mode_of(session: Session) -> Cell:
    """As ``plangate mode`` takes it, and whether somebody asks for more."""
    if wants_full_access(session):
        return Cell(f"{_mode(session)}, asks for full-access", Style.WAITING)
    return Cell(_mode(session), STYLES.get(session.mode, Style.PLAIN))


def wants_full_access(session: Session) -> bool:
    return session.full_access_state == FullAccessState.FULL_ACCESS_STATE_PENDING_CONFIRMATION


def state_of_session(session: Session) -> str:
    return spoken(word_of(FsmState, "FSM_STATE_", session.fsm_state))


def session_lines(session: Session) -> Iterator[str]:
    """One session in full, and what to type if it waits for somebody."""
    # An agent chooses the id: a shell must take it as one word and no more.
    named = shlex.quote(visible(session.session_id))
    yield f"session  {visible(session.session_id)}"
    yield f"mode     {mode_of(session).text}"
    review = ", a plan is in review" if session.waiting_for_plan_approval else ""
    yield f"state    {state_of_session(session)}{review}"
    yield f"plan     {session.plan_uri or 'none'}"
    yield f"waiting  {counted(session.queue_length, 'tool call')}"
    if session.HasField("last_decision"):
        last = session.last_decision
        call = f"{last.tool_name} {first_line(last.command)}"
        yield f"last     {visible(call)}: {visible(answer_of(last))}"
    yield f"began    {clock(session.create_time)}"
    yield f"changed  {clock(session.update_time)}"
    if session.queue_length:
        yield from ("", styled("to answer the tool calls", Style.STRONG))
        yield f"  plangate approvals list --session {named}"
    if wants_full_access(session):
        yield from ("", styled("to confirm or decline full access", Style.STRONG))
        yield from (f"  plangate mode {named} full-access", f"  plangate mode {named} {_mode(session)}")


def _mode(session: Session) -> str:
    return word_of(SessionMode, "SESSION_MODE_", session.mode).lower().replace("_", "-")
