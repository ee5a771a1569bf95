"""Over JSON, too, what a person sent is done or refused."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from tests.helpers.gate import Gate
from tests.helpers.tokens import local_token
from tests.helpers.unused_fields import LEGAL, REFUSED, Desk, Row, laid
from tests.helpers.visitor import Answer, Visitor


async def send(gate: Gate, row: Row, desk: Desk, **more: Any) -> Answer:
    visitor = Visitor(gate.web)
    assert (await visitor.sign_in(local_token(row.role))).status == 200
    return await visitor.call(row.method, {**MessageToDict(row.request(desk)), **more})


@pytest.mark.parametrize("row", REFUSED.values(), ids=list(REFUSED))
async def test_a_field_that_is_not_used_is_refused(gate: Gate, row: Row) -> None:
    """The refusal names it, and everything is as it was."""
    desk = await laid(gate)
    answer = await send(gate, row, desk)
    assert (answer.reason, answer.body["error"]["metadata"]["field"]) == (row.reason, row.field)
    assert (await gate.get(desk.plan.plan_uri), await gate.prompt(), await gate.prompt("two")) == desk


@pytest.mark.parametrize("row", LEGAL.values(), ids=list(LEGAL))
async def test_what_is_used_stays_legal(gate: Gate, row: Row) -> None:
    """As over gRPC."""
    answer = await send(gate, row, await laid(gate))
    assert answer.status == 200, answer.body


@pytest.mark.parametrize(
    ("row", "more", "words"),
    [
        (
            "approve with words",
            {"human_review": {"selectedOption": "reject"}},
            "'humanReview' and 'human_review'",
        ),
        (
            "edit of a part",
            {"edited": {"old_str": "boxes", "newStr": "half", "oldStr": "one"}},
            "'old_str' and 'oldStr'",
        ),
    ],
)
async def test_a_field_in_both_of_its_spellings_is_refused(
    gate: Gate, row: str, more: dict[str, Any], words: str
) -> None:
    """Whatever the order: of two answers none is chosen for the person."""
    desk = await laid(gate)
    answer = await send(gate, LEGAL[row], desk, **more)
    assert (answer.status, answer.reason) == (400, "MALFORMED_REQUEST")
    assert f"{words} are the same field" in answer.body["error"]["message"]
    assert await gate.get(desk.plan.plan_uri) == desk.plan


async def test_a_field_that_nobody_knows_is_refused(gate: Gate) -> None:
    """A misspelt field of a decision is no decision without it."""
    desk = await laid(gate)
    answer = await send(gate, LEGAL["approve with words"], desk, editedHole=True)
    assert answer.status == 400
    assert await gate.get(desk.plan.plan_uri) == desk.plan
