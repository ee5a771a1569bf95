"""The plans that a shell offers."""

from __future__ import annotations

import re
from typing import Final

from plangate._client import Client
from plangate.cli._finding import short_id
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

SECONDS: Final = 1.0
"""Whoever pressed Tab waits."""
_HARMLESS: Final = re.compile(r"\w[\w.-]*")


def names(target: str | None) -> list[str]:
    """Names that mean nothing to a shell; nothing at all if the gate does not answer at once."""
    try:
        with Client(target, timeout=SECONDS) as client:
            return [_offered(plan) for plan in client.list_plans()]
    except (PlangateError, ValueError):
        return []  # somebody is typing: a complaint would stand in the middle of their line


def _offered(plan: Plan) -> str:
    return plan.file_name if _HARMLESS.fullmatch(plan.file_name) else short_id(plan)
