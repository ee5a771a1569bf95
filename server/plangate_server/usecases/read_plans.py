"""GetPlan and ListPlans."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import replace

from plangate_server.domain import limits
from plangate_server.domain.errors import (
    InvalidField,
    InvalidPageToken,
    PlanNotFound,
    RevisionNotFound,
)
from plangate_server.domain.plan import PLAN_ID, Plan, plan_id_of
from plangate_server.ports import PlanFilter, Principal, Reading, World


async def get_plan(world: World, principal: Principal, plan_uri: str, revision: int | None = None) -> Plan:
    """A plan as it is, showing its head or an older revision."""
    plan_id = plan_id_of(plan_uri)

    def look(reading: Reading) -> Plan:
        plan = existing(reading, plan_uri)
        if revision is None or revision == plan.revision.number:
            return plan
        older = reading.revision(plan_id, revision)
        if older is None:
            raise RevisionNotFound(plan_uri, revision)
        return replace(plan, revision=older)

    return await world.store.read(principal.workspace, look)


def existing(reading: Reading, plan_uri: str) -> Plan:
    """The plan of that name; another workspace's plan looks like none."""
    plan = reading.plan(plan_id_of(plan_uri))
    if plan is None:
        raise PlanNotFound(plan_uri)
    return plan


async def list_plans(
    world: World, principal: Principal, which: PlanFilter, page_size: int, page_token: str
) -> tuple[Sequence[Plan], str]:
    """A page of plans, oldest first, and the token of the next one."""
    if page_size < 0:
        raise InvalidField("page_size", "is negative: leave it out, or ask for 1 to 1,000")
    size = min(page_size or limits.DEFAULT_PAGE_SIZE, limits.PAGE_SIZE)
    after = _read_token(page_token, which) if page_token else ""
    plans = await world.store.read(
        principal.workspace, lambda reading: reading.plans(which, after=after, limit=size + 1)
    )
    more = len(plans) > size
    page = plans[:size]
    return page, _make_token(page[-1].plan_id, which) if more else ""


def _make_token(plan_id: str, which: PlanFilter) -> str:
    return base64.urlsafe_b64encode(_check(which) + bytes.fromhex(plan_id)).decode()


def _read_token(token: str, which: PlanFilter) -> str:
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidPageToken from None
    plan_id = raw[4:].hex()
    if raw[:4] != _check(which) or not PLAN_ID.fullmatch(plan_id):
        raise InvalidPageToken
    return plan_id


def _check(which: PlanFilter) -> bytes:
    """Ties a token to its filters: with others, the pages would not fit together."""
    return hashlib.sha256(repr(which).encode()).digest()[:4]
