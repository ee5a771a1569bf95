"""What an IDE says: decisions about plans and tool calls, in its own words."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from reprlib import repr as shortly
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import fields

from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalDecision
from plangate_server.web.bodies import BadBody

DECISIONS: Final = ("approve", "reject", "modify")
"""About plans, as the gate takes them, too."""
ANSWERS: Final[Mapping[str, ApprovalDecision.ValueType]] = {
    "approve": ApprovalDecision.APPROVAL_DECISION_APPROVED,
    "approve_for_session": ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION,
    "reject": ApprovalDecision.APPROVAL_DECISION_DENIED,
}
"""To tool calls."""


class Decided(Struct, frozen=True):
    """About a plan."""

    approval_request_id: str
    decision: str
    session_id: str = ""
    feedback: str = ""
    digest: str = ""
    """Of the text that the person saw; left out, it is that of the review, which is about one text."""


class Answered(Struct, frozen=True):
    """About a tool call."""

    call_id: str
    authority_token: str
    decision: str
    session_id: str = ""
    feedback: str = ""
    digest: str = ""
    """Of the call that the person saw; left out, the token says which that was."""


Said = TypeVar("Said", Decided, Answered)


def read_message(message: Mapping[str, Any]) -> Decided | Answered | None:
    """What was decided about what; None if a person talks to their agent. BadBody, if neither."""
    match message.get("type"):
        case "user_message":
            return None
        case "plan_decision":
            return _plan_decision(message)
        case "tool_decision":
            return _tool_decision(message)
        case kind:
            raise BadBody(f"type {shortly(kind)} is not known here: send plan_decision or tool_decision")


def named_in(message: Mapping[str, Any]) -> dict[str, str]:
    """What a message says that it is about, whatever else is wrong with it."""
    named: dict[str, str] = {}
    for name in ("approval_request_id", "call_id"):
        with suppress(BadBody):  # what is no text names nothing
            named[name] = said_text(message, name)
    return {name: value for name, value in named.items() if value}


def _plan_decision(message: Mapping[str, Any]) -> Decided:
    decided = _fields(Decided, message)
    if not decided.approval_request_id:
        raise BadBody("approval_request_id is missing: send the one of plan_approval_required")
    _check_word(decided.decision, DECISIONS)
    return decided


def _tool_decision(message: Mapping[str, Any]) -> Answered:
    answered = _fields(Answered, message)
    for name in ("call_id", "authority_token"):
        if not getattr(answered, name):
            raise BadBody(f"{name} is missing: send the one of tool_approval_required")
    _check_word(answered.decision, ANSWERS)
    return answered


def _fields(kind: type[Said], message: Mapping[str, Any]) -> Said:
    """All that is said counts: what a decision would leave out could be what the person meant."""
    names: list[str] = [field.name for field in fields(kind)]
    said = kind(**{name: said_text(message, name) for name in names})
    for name, value in message.items():
        if value is not None and name not in {"type", *names}:
            raise BadBody(f"{shortly(name)} is not known in a {message['type']}: nothing of one is left out")
    return said


def _check_word(decision: str, words: Mapping[str, object] | tuple[str, ...]) -> None:
    if decision not in words:
        raise BadBody(f"decision is {shortly(decision)}: send one of {', '.join(words)}")


def said_text(message: Mapping[str, Any], name: str) -> str:
    value = message.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadBody(f"{name} is not a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadBody(f"{name} is not a text") from None
    return value
