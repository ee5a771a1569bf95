"""What the gate for users' own tests does not do: it says so, and docs/sdk.md lists it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from plangate import Client
from plangate._calls import admin, builds, drafts, plans, reviewing, tools
from plangate._calls.kinds import Method
from plangate.testing import FakeGate
from plangate.testing._fake.service import AGENTS, DRAFT, PERSONS, STREAMS
from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams, Step
from tests.helpers.tool_calls import remember

PAGE = (Path(__file__).parents[3] / "docs" / "sdk.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| not in a fake gate | |\n|---|---|\n")[2]
LISTED = re.findall(r"^\| (.+?) \|", TABLE, flags=re.MULTILINE)


def proposed(client: Client) -> Any:
    return client.create_plan("# Tidy the cellar")


def with_prompt(client: Client, answer: Callable[[ApprovalPrompt], Any]) -> None:
    """Answer a call that waits, which is taken back in the end."""
    with ThreadPoolExecutor() as pool:
        pool.submit(client.request_approval, "s", "bash", "make", call_id="c")
        try:
            answer(next(told.prompt for told in client.prompts("s") if told.HasField("prompt")))
        finally:
            client.cancel_approval("s", "c")


MISSING: dict[str, Iterable[Callable[[Client], Any]]] = {
    "`create_token`, `list_tokens`, `revoke_token`, `who_am_i`": [
        lambda client: client.create_token(CreateTokenRequest(name="ben")),
        lambda client: list(client.list_tokens()),
        lambda client: client.revoke_token("t"),
        lambda client: client.who_am_i(),
    ],
    "`audit_entries`, `history`, `verify_audit`": [
        lambda client: list(client.audit_entries()),
        lambda client: list(client.history()),
        lambda client: client.verify_audit(),
    ],
    "`break_glass_reason=`": [
        lambda client: client.decide(proposed(client), "approve", break_glass_reason="fire"),
        lambda client: with_prompt(
            client, lambda prompt: client.answer(prompt, "approved", break_glass_reason="fire")
        ),
    ],
    "`remember=` with a pattern": [
        lambda client: with_prompt(
            client, lambda prompt: client.answer(prompt, "approved", remember=remember("make **"))
        )
    ],
    "`remember=` with a no to a command": [
        lambda client: with_prompt(
            client, lambda prompt: client.answer(prompt, "denied", remember=remember())
        )
    ],
    "`edited=` with steps, old_str or new_str": [
        lambda client, edited=edited: client.decide(proposed(client), "edit", edited=edited)  # type: ignore[misc]
        for edited in (
            CreatePlanParams(steps=[Step(title="a")]),
            CreatePlanParams(old_str="Tidy"),
            CreatePlanParams(new_str="Wash"),
        )
    ],
}


@pytest.mark.parametrize("what", MISSING)
def test_what_it_does_not_do_it_says(what: str) -> None:
    """Nothing is made up: whoever needs it learns that a real gate is needed."""
    for call in MISSING[what]:
        with FakeGate().client() as client, pytest.raises(NotImplementedError, match="against a gate"):
            call(client)


def test_the_docs_list_it() -> None:
    """All of it, and nothing else."""
    assert [*MISSING] == LISTED


def test_every_call_is_answered_or_listed() -> None:
    """There is no third: what the clients can call, the fake gate does, or it says that it does not."""
    called = {
        each.path
        for module in (admin, builds, drafts, plans, reviewing, tools)
        for each in vars(module).values()
        if isinstance(each, Method)
    }
    refused = {path for path in called if path.startswith(admin.TOKENS)} | {
        admin.EVENTS.path,
        admin.VERIFY.path,
    }
    assert called - {*AGENTS, *PERSONS, *STREAMS, DRAFT} == refused
