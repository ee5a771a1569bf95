"""What an IDE says: decisions about plans, in its own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

DECISIONS: Final = ("approve", "reject", "modify")
"""As the gate takes them, too."""


class BadMessage(Exception):
    """Its words are for whoever sent it."""


class Decided(Struct, frozen=True):
    approval_request_id: str
    decision: str
    feedback: str = ""


def read_object(text: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("the message is not JSON") from None
    if not isinstance(value, dict):
        raise BadMessage("the message is not a JSON object")
    return value


def read_decision(message: Mapping[str, Any]) -> Decided:
    """What was decided about which review. BadMessage, if that is not said."""
    if message.get("type") != "plan_decision":
        raise BadMessage(f"type {message.get('type')!r} is not known here: send plan_decision")
    decided = Decided(
        _text(message, "approval_request_id"), _text(message, "decision"), _text(message, "feedback")
    )
    if not decided.approval_request_id:
        raise BadMessage("approval_request_id is missing: send the one of plan_approval_required")
    if decided.decision not in DECISIONS:
        raise BadMessage(f"decision is {decided.decision!r}: send one of {', '.join(DECISIONS)}")
    return decided


def _text(message: Mapping[str, Any], name: str) -> str:
    value = message.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadMessage(f"{name} is not a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadMessage(f"{name} is not a text") from None
    return value
