"""What an agent is called: what says so, where it is sent, and that it stays the same."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plangate import AsyncClient, Client, Decision
from plangate._agent import MOST_PLANS, Names, find_agent_id, program_name, this_program
from plangate._tokens import Role
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    AcknowledgeDecisionResponse,
    BuildTodosResponse,
    CreatePlanResponse,
    ReviewPlanResponse,
    UpdatePlanResponse,
    UpdateTodosResponse,
    WithdrawPlanResponse,
)
from plangate_proto.agent.v1.review_resource_pb2 import Review
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import FakeGate

NAMED = {"PLANGATE_AGENT_ID": "night-shift"}
PLAN = Plan(plan_uri="plangate://plans/1", revision=1, digest="d1", created_by="creator")


@pytest.mark.parametrize(
    ("given", "role", "environment", "found"),
    [
        ("tidy", None, NAMED, "tidy"),
        ("tidy", "admin", NAMED, "tidy"),
        (None, None, NAMED, "night-shift"),
        (None, "agent", NAMED, "night-shift"),
        ("", None, NAMED, ""),
        (None, "reviewer", NAMED, ""),
        (None, "admin", NAMED, ""),
        (None, None, {}, this_program()),
        (None, None, {"PLANGATE_AGENT_ID": ""}, this_program()),
    ],
)
def test_who_says_what_an_agent_is_called(
    given: str | None, role: Role | None, environment: dict[str, str], found: str
) -> None:
    """The caller, then the environment, then the program; who works for a person is no agent."""
    assert find_agent_id(given, role, environment) == found


@pytest.mark.parametrize(
    "name", ["a" * 257, "\N{LATIN SMALL LETTER U WITH DIAERESIS}" * 129, "a\nb", "\udc80"]
)
def test_what_no_agent_can_be_called(name: str) -> None:
    """It is said at once, with its source, and not by every call."""
    for make in (Client, AsyncClient):
        with pytest.raises(ValueError, match="agent_id"):
            make("127.0.0.1:1", agent_id=name)
    with pytest.raises(ValueError, match="PLANGATE_AGENT_ID"):
        find_agent_id(None, None, {"PLANGATE_AGENT_ID": name})


def test_a_reviewer_is_no_agent() -> None:
    """Whoever says both is told, and nothing is left out in silence."""
    with pytest.raises(ValueError, match="reviewer"):
        Client("127.0.0.1:1", role="reviewer", agent_id="tidy")


def test_a_program_is_called_the_same_when_it_starts_again(tmp_path: Path) -> None:
    """Wherever it is started from, and however often; a program of the same name elsewhere is another."""
    code = "import os, plangate; os.chdir('/'); print(plangate.Client('127.0.0.1:1').agent_id)"
    names: list[str] = []
    for folder in ("here", "there"):
        program = tmp_path / folder / "tidy up.py"
        program.parent.mkdir()
        program.write_text(code, encoding="utf-8")
        for start in (tmp_path, program.parent):
            given = [sys.executable, str(program) if start == tmp_path else program.name]
            ran = subprocess.run(given, cwd=start, check=True, capture_output=True, text=True)
            names.append(ran.stdout.strip())
    here, here_again, there, there_again = names
    assert (here, there) == (here_again, there_again)
    assert here != there
    assert re.fullmatch(r"tidy-up@[\w.-]+-[0-9a-f]{8}", here)


def test_a_name_that_is_made_up_is_one_that_a_gate_takes() -> None:
    """However long and strange its parts are."""
    made = program_name(f"/srv/{'a ' * 500}\udc80\n.py", "host" * 500)
    assert find_agent_id(made) == made
    assert program_name("/srv/tidy/__main__.py", "laptop").startswith("tidy@laptop-")


CALLS: tuple[tuple[str, Callable[..., Any], Any], ...] = (
    ("CreatePlan", lambda client, **name: client.create_plan("# Tidy", **name), CreatePlanResponse()),
    ("UpdatePlan", lambda client, **name: client.update_plan(PLAN, "# Tidy", **name), UpdatePlanResponse()),
    (
        "AcknowledgeDecision",
        lambda client, **name: client.acknowledge(Decision(Review()), **name),
        AcknowledgeDecisionResponse(),
    ),
    ("WithdrawPlan", lambda client, **name: client.withdraw(PLAN, **name), WithdrawPlanResponse()),
    ("BuildTodos", lambda client, **name: client.build(PLAN, **name), BuildTodosResponse()),
    ("UpdateTodos", lambda client, **name: client.update_todos(PLAN, [], **name), UpdateTodosResponse()),
)


@pytest.mark.parametrize(("method", "call", "response"), CALLS, ids=[method for method, *_ in CALLS])
def test_every_call_of_an_agent_names_it(method: str, call: Callable[..., Any], response: Any) -> None:
    """With the client's name, unless the call has one."""
    fake = FakeGate(agent_id="night-shift")
    fake.called(call)
    assert fake.answer(method, response).agent_id == "night-shift"
    fake.called(lambda client: call(client, agent_id="tidy"))
    assert fake.answer(method, response).agent_id == "tidy"


def test_whoever_waits_names_itself() -> None:
    """Or the gate could not tell whose answer it is."""
    fake = FakeGate(agent_id="night-shift")
    fake.called(lambda client: client.wait(PLAN))
    assert fake.stream("ReviewPlan", ReviewPlanResponse()).agent_id == "night-shift"


@pytest.mark.parametrize(("agent_id", "known_as"), [("night-shift", "night-shift"), ("", "creator")])
def test_a_build_is_the_agents_own(agent_id: str, known_as: str) -> None:
    """What it says of its todos later is said under the same name; who has none builds as the creator."""
    fake = FakeGate(agent_id=agent_id)
    building = fake.called(lambda client: client.build(PLAN))
    sent = fake.answer("BuildTodos", BuildTodosResponse(build_id="b"))
    assert (sent.agent_id, sent.expected_digest) == (known_as, "d1")
    build = building.result(PATIENCE)
    fake.called(lambda _: build.start("sweep"))
    assert fake.answer("UpdateTodos", UpdateTodosResponse()).agent_id == known_as


def test_a_plan_is_the_agents_that_proposed_it() -> None:
    """Named once, the agent need not be named with everything that is said about its plan."""
    fake = FakeGate(agent_id="night-shift")
    creating = fake.called(lambda client: client.create_plan("# Tidy", agent_id="tidy"))
    fake.answer("CreatePlan", CreatePlanResponse(plan=PLAN))
    creating.result(PATIENCE)
    fake.called(lambda client: client.wait(PLAN))
    assert fake.stream("ReviewPlan", ReviewPlanResponse()).agent_id == "tidy"
    fake.called(lambda client: client.withdraw("plangate://plans/2"))
    assert fake.answer("WithdrawPlan", WithdrawPlanResponse()).agent_id == "night-shift"


def test_no_agent_speaks_for_another_of_the_same_program() -> None:
    """Where two have written in one plan, it must be said which of them waits."""
    names = Names("own")
    for agent_id in ("a", "b", "b", "a"):
        names.note("plan", agent_id)
    assert names.for_plan("plan") == "own"


def test_the_names_of_few_plans_are_kept() -> None:
    """Those of which it was said last; a program that runs for years does not grow."""
    names = Names("own")
    for number in range(MOST_PLANS + 2):
        names.note(f"plan-{number}", "a")
        names.note("plan-1", "a")
    assert [names.for_plan(f"plan-{number}") for number in (0, 1, 2, 3)] == ["own", "a", "own", "a"]
