"""Answers that are remembered, on a real gate and on the fake one alike."""

from __future__ import annotations

import uuid

import pytest

from plangate import errors
from tests.contract.sdk.steps import asking, outcome_of, shown, waits
from tests.helpers.either_client import Awaited
from tests.helpers.tool_calls import remember


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def command() -> str:
    """One that no other test has anything remembered about."""
    return f"make {uuid.uuid4().hex}"


async def test_for_the_session(gate: Awaited, session: str, command: str) -> None:
    """The same command is not asked about again; another one is, and the same in another session."""
    task = asking(gate, session, "c", command)
    await gate.answer(await shown(gate, session, "c"), "approved_for_session")
    await outcome_of(task)
    may = await gate.authorize_tool(session, "bash", access="execute", command=f' "make"  {command[5:]} ')
    assert may.allowed
    assert may.rule.startswith("remembered:")
    at_once = await gate.request_approval(session, "bash", command)
    assert (at_once.approved, at_once.rule, at_once.reviewer) == (True, may.rule, "")
    assert (await gate.authorize_tool(session, "bash", command=f"{command} --all")).must_ask
    assert (await gate.authorize_tool(session, "sh", command=command)).must_ask
    assert (await gate.authorize_tool(uuid.uuid4().hex, "bash", command=command)).must_ask


async def test_for_the_workspace(gate: Awaited, session: str, command: str) -> None:
    """It reaches other sessions, too; plan mode comes before it."""
    task = asking(gate, session, "c", command)
    kept = remember(scope="WORKSPACE")
    await gate.answer(await shown(gate, session, "c"), "approved", remember=kept)
    await outcome_of(task)
    other = uuid.uuid4().hex
    assert (await gate.authorize_tool(other, "bash", command=command)).allowed
    await gate.set_mode(other, "plan")
    assert (await gate.authorize_tool(other, "bash", command=command)).rule == "plan_mode"


async def test_what_waits_is_looked_at_again(gate: Awaited, session: str, command: str) -> None:
    """A call that the new answer covers is answered with it, and never shown."""
    first = asking(gate, session, "one", command)
    prompt = await shown(gate, session, "one")
    second = asking(gate, session, "two", command)
    await waits(gate, session, 2)
    await gate.answer(prompt, "approved_for_session")
    assert (await outcome_of(first)).rule == ""
    assert (await outcome_of(second)).rule.startswith("remembered:")


@pytest.mark.parametrize("more", ["; id", " && id", " > a", " $HOME", " 'a b'", " *", " # fine", "\tx"])
async def test_what_is_never_remembered(gate: Awaited, session: str, command: str, more: str) -> None:
    """A command that is more than one plain command can be answered this once only."""
    task = asking(gate, session, "c", command + more)
    prompt = await shown(gate, session, "c")
    assert not prompt.can_remember
    assert [choice.value for choice in prompt.options] == ["APPROVED", "DENIED"]
    with pytest.raises(errors.InvalidField):
        await gate.answer(prompt, "approved_for_session")
    await gate.answer(prompt, "approved")
    assert (await outcome_of(task)).approved
    assert (await gate.authorize_tool(session, "bash", command=command + more)).must_ask


async def test_patches_and_arguments(gate: Awaited, session: str) -> None:
    """A patch is the same to the byte; arguments are the same in any order; a no is remembered, too."""
    patch = asking(gate, session, "p", "--- a\n+++ b\n", kind="edit")
    await gate.answer(await shown(gate, session, "p"), "approved_for_session")
    await outcome_of(patch)
    call = asking(gate, session, "m", '{"to": "ada", "n": 1}', kind="mcp")
    await gate.answer(await shown(gate, session, "m"), "denied", remember=remember())
    await outcome_of(call)
    same = await gate.request_approval(session, "bash", "--- a\n+++ b\n", kind="edit")
    assert (same.approved, same.rule.partition(":")[0]) == (True, "remembered")
    same = await gate.request_approval(session, "bash", '{"n":1,"to":"ada"}', kind="mcp")
    assert (same.outcome, same.rule.partition(":")[0]) == ("DENIED", "remembered_deny")


async def test_for_the_session_and_no_further(gate: Awaited, session: str, command: str) -> None:
    """A yes for the session that is to reach further contradicts itself."""
    task = asking(gate, session, "c", command)
    prompt = await shown(gate, session, "c")
    with pytest.raises(errors.InvalidField):
        await gate.answer(prompt, "approved_for_session", remember=remember(scope="WORKSPACE"))
    await gate.answer(prompt, "denied")
    await outcome_of(task)
