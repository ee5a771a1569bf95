"""What an IDE says: decisions about plans, in its own words."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as shortly
from typing import Any, Final

from msgspec import Struct

from plangate_server.web.bodies import BadBody

DECISIONS: Final = ("approve", "reject", "modify")
"""As the gate takes them, too."""


class Decided(Struct, frozen=True):
    approval_request_id: str
    decision: str
    feedback: str = ""


def read_message(message: Mapping[str, Any]) -> Decided | None:
    """What was decided about which review; None if a person talks to their agent. BadBody, if neither."""
    kind = message.get("type")
    if kind == "user_message":
        return None
    if kind != "plan_decision":
        raise BadBody(f"type {shortly(kind)} is not known here: send plan_decision")
    return _decision(message)


def _decision(message: Mapping[str, Any]) -> Decided:
    decided = Decided(*(said_text(message, name) for name in Decided.__struct_fields__))
    if not decided.approval_request_id:
        raise BadBody("approval_request_id is missing: send the one of plan_approval_required")
    if decided.decision not in DECISIONS:
        raise BadBody(f"decision is {shortly(decided.decision)}: send one of {', '.join(DECISIONS)}")
    return decided


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
