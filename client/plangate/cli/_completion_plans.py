"""The plans that a shell offers."""

from __future__ import annotations

import re
from threading import Timer
from typing import Final

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate.cli._finding import short_id
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

SECONDS: Final = 1.0
"""Whoever pressed Tab waits so long, for all of it."""
_HARMLESS: Final = re.compile(r"\w[\w.-]*")


def names(target: str | None) -> list[str]:
    """Names that mean nothing to a shell, as many as the gate tells at once; it may tell none at all."""
    offered: list[str] = []
    try:
        with Client(target, timeout=SECONDS) as client:
            # A deadline of each page would be none of all of them.
            end = Timer(SECONDS, client.close)
            end.daemon = True
            end.start()
            offered.extend(map(_offered, client.list_plans()))
            end.cancel()
    except (PlangateError, ValueError):
        return offered  # somebody is typing: a complaint would stand in the middle of their line
    return offered


def _offered(plan: Plan) -> str:
    name = plan.file_name
    return name if _HARMLESS.fullmatch(name) and visible(name) == name else short_id(plan)
