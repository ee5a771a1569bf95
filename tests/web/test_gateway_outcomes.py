"""Each way in which a question to people can end is a message of its own type, with what was said."""

from __future__ import annotations

from typing import Any

import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest, UpdatePlanRequest, WithdrawPlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest
from tests.helpers.clock import SkippingClock
from tests.helpers.gate import Gate
from tests.helpers.ide import FORM, decision, ide
from tests.helpers.identities import make_token
from tests.helpers.tool_calls import span


def form(**review: Any) -> CreatePlanRequest:
    return CreatePlanRequest(args=FORM.args, session_id="s", review=ReviewOptions(**review))


async def test_the_first_of_two_approvals_is_answered(gate: Gate) -> None:
    """With what is recorded and what is missing; the last one approves."""
    bob = await make_token(gate, "reviewer", "bob")
    async with ide(gate.web) as one, ide(gate.web, token=bob.secret) as other:
        await gate.propose(form(required_approvals=2))
        asked = await one.hears("plan_approval_required")
        assert asked["metadata"]["approvals"] == {"recorded": 0, "required": 2, "missing": 2, "by": []}
        await one.says(decision(asked, "approve", "fine by me"))
        recorded = await one.hears("plan_approval_recorded")
        assert recorded["content"] == "1 of 2 approvals recorded, 1 missing.\n\nfine by me"
        assert recorded["approval_request_id"] == asked["approval_request_id"]
        assert recorded["metadata"]["approvals"] == {
            "recorded": 1,
            "required": 2,
            "missing": 1,
            "by": ["ada"],
        }
        assert "is_final" not in recorded
        await one.says(decision(asked, "approve"))
        again = await one.hears("error")
        assert again["metadata"]["reason"] == "ALREADY_DECIDED", "a person counts once"
        assert again["error"].startswith("you have approved already: 1 of 2 approvals recorded, 1 missing")
        assert again["approval_request_id"] == asked["approval_request_id"]
        assert "is_final" not in again, "the review is open"
        await other.says(decision(asked, "approve", "mind the dust"))
        approved = await one.hears("status")
        await one.says(decision(asked, "approve"))
        assert (await one.hears("error"))["is_final"] is True, "now it is over"
    assert approved["metadata"]["fsm_state"] == "plan_execution"
    words = "ada:\n  fine by me\n\nbob:\n  mind the dust"
    assert approved["metadata"]["feedback"] == words
    assert approved["content"] == f"The plan is approved.\n\n{words}"


async def test_each_of_many_approvals_is_told_with_its_own_words(gate: Gate) -> None:
    """Those before it were told; whoever comes late is told all."""
    tokens = [(await make_token(gate, "reviewer", name)).secret for name in ("bob", "eve")]
    await gate.propose(form(required_approvals=3))
    for name, token in zip(("bob", "eve"), tokens, strict=True):
        async with ide(gate.web, token=token) as desk:
            await desk.says(decision(await desk.hears("plan_approval_required"), "approve", f"{name} here"))
            recorded = await desk.hears("plan_approval_recorded")
            assert recorded["metadata"]["feedback"] == f"{name} here"
            assert recorded["content"].endswith(f"missing.\n\n{name} here")
    async with ide(gate.web) as desk:
        late = await desk.hears("plan_approval_required")
    assert late["metadata"]["feedback"] == "bob:\n  bob here\n\neve:\n  eve here"


async def test_a_late_ide_sees_what_is_recorded(gate: Gate) -> None:
    """Of what waits it is told how many approvals it has."""
    plan = await gate.propose(form(required_approvals=2))
    await gate.decide(plan, "approve")
    async with ide(gate.web) as desk:
        asked = await desk.hears("plan_approval_required")
    assert asked["metadata"]["approvals"]["recorded"] == 1


async def test_a_review_that_expires(gate: Gate, clock: SkippingClock) -> None:
    """Is no withdrawal and no refusal."""
    async with ide(gate.web) as desk:
        await gate.propose(form(expires_after=span(60)))
        asked = await desk.hears("plan_approval_required")
        clock.skip(seconds=61)
        told = await desk.hears("plan_expired")
    assert (told["approval_request_id"], told["is_final"]) == (asked["approval_request_id"], True)


async def test_a_plan_that_is_withdrawn(gate: Gate) -> None:
    """Is told as that."""
    async with ide(gate.web) as desk:
        plan = await gate.propose(FORM)
        await desk.hears("plan_approval_required")
        await gate.agent.WithdrawPlan(WithdrawPlanRequest(plan_uri=plan.plan_uri))
        told = await desk.hears("plan_withdrawn")
    assert (told["plan_id"], told["is_final"]) == (plan.plan_id, True)


async def test_a_review_that_another_text_takes_the_place_of(gate: Gate) -> None:
    """The dialog of the old text can be closed before the new one is asked about."""
    async with ide(gate.web) as desk:
        plan = await gate.propose(FORM)
        asked = await desk.hears("plan_approval_required")
        request = UpdatePlanRequest(
            plan_uri=plan.plan_uri, args=CreatePlanArgs(plan="# Another"), expected_revision=1
        )
        await gate.agent.UpdatePlan(request)
        told = await desk.hears("plan_superseded")
        again = await desk.hears("plan_approval_required")
    assert (told["approval_request_id"], told["is_final"]) == (asked["approval_request_id"], True)
    assert (told["metadata"]["digest"], told["metadata"]["revision"]) == (plan.digest, 1)
    assert told["metadata"]["superseded_by"] == again["approval_request_id"]


async def test_a_revision_that_was_asked_for_supersedes_nothing(gate: Gate) -> None:
    """The review that asked for it has ended before."""
    async with ide(gate.web) as desk:
        plan = await gate.propose(FORM)
        await desk.says(decision(await desk.hears("plan_approval_required"), "modify", "shorter"))
        await desk.hears("plan_modification_requested")
        request = UpdatePlanRequest(
            plan_uri=plan.plan_uri, args=CreatePlanArgs(plan="# Another"), expected_revision=1
        )
        await gate.agent.UpdatePlan(request)
        assert (await desk.hears("plan_superseded", "plan_approval_required"))["plan"] == "# Another"


async def test_errors_have_their_words_under_error(gate: Gate) -> None:
    """And under content, and say what they are about."""
    async with ide(gate.web) as desk:
        await desk.says(decision({"approval_request_id": "nonsense"}, "approve"))
        error = await desk.hears("error")
        await desk.says("{")
        other = await desk.hears("error")
    assert error["error"] == error["content"]
    assert error["error"]
    assert (error["approval_request_id"], error["is_final"]) == ("nonsense", True)
    assert other["error"] == "the message is not JSON"


@pytest.mark.parametrize(
    "more",
    [
        {"edited": {"plan": "# Mine"}},
        {"modified_plan": "# Mine"},
        {"remember": True},
        {"break_glass_reason": "x"},
    ],
    ids=str,
)
async def test_nothing_of_a_decision_is_ignored(gate: Gate, more: dict[str, Any]) -> None:
    """What is not known could be what the person meant; what is empty means nothing."""
    plan = await gate.propose(FORM)
    async with ide(gate.web) as desk:
        asked = await desk.hears("plan_approval_required")
        await desk.says({**decision(asked, "approve"), **more})
        assert next(iter(more)) in (await desk.hears("error"))["error"]
        assert not (await gate.get(plan.plan_uri)).review.decisions
        await desk.says({**decision(asked, "approve"), **dict.fromkeys(more)})
        await desk.hears("status")


async def test_the_digest_that_was_seen(gate: Gate) -> None:
    """Counts if the IDE sends it."""
    plan = await gate.propose(FORM)
    async with ide(gate.web) as desk:
        asked = await desk.hears("plan_approval_required")
        await desk.says({**decision(asked, "approve"), "digest": "0" * 64})
        assert (await desk.hears("error"))["metadata"]["reason"] == "STALE_REVISION"
        await desk.says({**decision(asked, "approve"), "digest": plan.digest})
        await desk.hears("status")


async def comment(gate: Gate, plan_uri: str, text: str, line: int = 0) -> None:
    request = AddCommentRequest(plan_uri=plan_uri, revision=1, first_line=line, text=text)
    await gate.reviews.AddComment(request)


@pytest.mark.parametrize(
    ("choice", "type_", "words"),
    [
        ("modify", "plan_modification_requested", "Another revision is asked for."),
        ("reject", "plan_rejected", "The plan is rejected."),
        ("approve", "status", "The plan is approved."),
    ],
)
async def test_comments_go_along(gate: Gate, choice: str, type_: str, words: str) -> None:
    """As fields, and as words behind the feedback; what is stored is what the person wrote."""
    plan = await gate.propose(FORM)
    await comment(gate, plan.plan_uri, "of what?\nsay more", line=3)
    await comment(gate, plan.plan_uri, "too long")
    async with ide(gate.web) as desk:
        await desk.says(decision(await desk.hears("plan_approval_required"), choice, "simpler, please"))
        told = await desk.hears(type_)
    first, second = told["metadata"]["comments"]
    assert first.pop("comment_id")
    assert first == {
        "author": "local-admin",
        "state": "open",
        "revision": 1,
        "lines_of_revision": 1,
        "first_line": 3,
        "last_line": 3,
        "quoted_text": "With validation.",
        "text": "of what?\nsay more",
    }
    assert ("first_line" in second, second["text"]) == (False, "too long")
    assert told["metadata"]["feedback"] == "simpler, please"
    assert told["content"] == (
        f"{words}\n\nsimpler, please\n\nComments on the plan:\n\n"
        "local-admin, on line 3:\n  > With validation.\n  of what?\n  say more\n\n"
        "local-admin, on the plan as a whole:\n  too long"
    )
    assert (await gate.get(plan.plan_uri)).review.decisions[0].feedback_text == "simpler, please"


async def test_carried_comments_say_where_their_lines_are(gate: Gate) -> None:
    """Those of the text that was decided about, whichever revision a comment was made on."""
    plan = await gate.propose(FORM)
    await comment(gate, plan.plan_uri, "of what?", line=3)
    await comment(gate, plan.plan_uri, "drop it", line=1)
    text = "Soon.\n\nMaybe.\n\nWith validation."
    request = UpdatePlanRequest(plan_uri=plan.plan_uri, args=CreatePlanArgs(plan=text), expected_revision=1)
    await gate.agent.UpdatePlan(request)
    async with ide(gate.web) as desk:
        await desk.says(decision(await desk.hears("plan_approval_required"), "reject", "no"))
        told = await desk.hears("plan_rejected")
    first, second = told["metadata"]["comments"]
    assert (first["state"], first["revision"]) == ("carried", 1)
    assert (first["lines_of_revision"], first["first_line"], first["last_line"]) == (2, 5, 5)
    assert (second["state"], second["quoted_text"]) == ("carried", "# Login form")
    assert not {"lines_of_revision", "first_line", "last_line"} & set(second)
    assert "local-admin, on lines that are no longer there:\n  > # Login form\n  drop it" in told["content"]


async def test_comments_that_are_too_many_are_counted(gate: Gate) -> None:
    """In the fields and in the words."""
    plan = await gate.propose(FORM)
    for number in range(102):
        await comment(gate, plan.plan_uri, f"no. {number}")
    async with ide(gate.web) as desk:
        await desk.says(decision(await desk.hears("plan_approval_required"), "reject", "no"))
        told = await desk.hears("plan_rejected")
    assert len(told["metadata"]["comments"]) == 100
    assert told["metadata"]["comments_left_out"] == 2
    assert told["content"].endswith("2 more comments are left out here.")
