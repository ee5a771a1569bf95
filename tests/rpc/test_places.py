"""Cursors and page tokens: opaque, bound to where they were given out, refused anywhere else."""

import shutil
from pathlib import Path

from plangate_proto.agent.v1.plan_resource_pb2 import PLAN_STATE_APPROVED
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest, ReviewPlanRequest
from tests.helpers.gate import Gate, open_gate
from tests.helpers.refusals import refused
from tests.helpers.streams import next_of, rest_of
from tests.rpc.bad_requests import LIST, REVIEW, Bad


async def cursor_of(gate: Gate, plan_uri: str) -> str:
    stream = gate.agent.ReviewPlan(ReviewPlanRequest(plan_uri=plan_uri))
    cursor = (await next_of(stream)).event.cursor
    stream.cancel()
    return cursor


async def check_cursor_refused(gate: Gate, plan_uri: str, cursor: str) -> None:
    request = ReviewPlanRequest(plan_uri=plan_uri, cursor=cursor)
    bad = Bad(REVIEW, "INVALID_CURSOR", request, {"field": "cursor"})
    bad.check(await refused(rest_of(gate.agent.ReviewPlan(request))))


async def page_token(gate: Gate) -> str:
    """The token of the second page of two."""
    for _ in range(2):
        await gate.propose()
    return (await gate.agent.ListPlans(ListPlansRequest(page_size=1))).next_page_token


async def check_token_refused(gate: Gate, request: ListPlansRequest) -> None:
    bad = Bad(LIST, "INVALID_PAGE_TOKEN", request, {"field": "page_token"})
    bad.check(await refused(gate.agent.ListPlans(request)))


def altered(text: str, place: int) -> str:
    """The text with another letter in one place."""
    return text[:place] + ("B" if text[place] == "A" else "A") + text[place + 1 :]


async def test_an_altered_cursor_is_refused(gate: Gate) -> None:
    """Whatever part of a cursor is changed, it leads nowhere."""
    plan = await gate.propose()
    cursor = await cursor_of(gate, plan.plan_uri)
    changed = [altered(cursor, place) for place in range(len(cursor))]
    for bad in (*changed, cursor[:-1], cursor + "A", cursor * 2):
        await check_cursor_refused(gate, plan.plan_uri, bad)


async def test_a_cursor_of_another_database_is_refused(gate: Gate, tmp_path: Path) -> None:
    """A cursor of another log would point at something else: it is refused."""
    async with open_gate(tmp_path / "other.db") as other:
        cursor = await cursor_of(other, (await other.propose()).plan_uri)
    await check_cursor_refused(gate, (await gate.propose()).plan_uri, cursor)


async def test_a_cursor_of_what_was_lost_is_refused(tmp_path: Path) -> None:
    """After a backup is restored, a cursor from beyond its end is refused instead of waiting for ever."""
    live, backup = tmp_path / "live.db", tmp_path / "backup.db"
    async with open_gate(live) as gate:
        plan = await gate.propose()
    shutil.copy(live, backup)
    async with open_gate(live) as gate:
        await gate.propose()
        cursor = await cursor_of(gate, plan.plan_uri)
    async with open_gate(backup) as gate:
        await check_cursor_refused(gate, plan.plan_uri, cursor)


async def test_a_page_token_is_bound_to_its_filters(gate: Gate) -> None:
    """With other filters the pages would not fit together, so the token is refused."""
    token = await page_token(gate)
    await check_token_refused(gate, ListPlansRequest(page_token=token, session_id="s"))
    await check_token_refused(gate, ListPlansRequest(page_token=token, agent_id="local"))
    await check_token_refused(gate, ListPlansRequest(page_token=token, states=[PLAN_STATE_APPROVED]))


async def test_a_page_token_of_another_length_is_refused(gate: Gate) -> None:
    """A token that was cut or grew leads nowhere."""
    token = await page_token(gate)
    for bad in (token[:-4], token[:-1], token * 2, "A" + token):
        await check_token_refused(gate, ListPlansRequest(page_token=bad))


async def test_an_altered_page_token_is_refused(gate: Gate) -> None:
    """Whatever part of a token is changed, it leads nowhere."""
    token = await page_token(gate)
    # Of the last letter before the padding, only a part carries anything.
    for place in range(len(token.rstrip("=")) - 1):
        await check_token_refused(gate, ListPlansRequest(page_token=altered(token, place)))
