"""Every piece of code of docs/sdk.md runs as printed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.agent_session_service_pb2 import SessionMode
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEventType
from tests.e2e.pages import at_home
from tests.e2e.processes import ROOT
from tests.e2e.test_readme import python_of, run
from tests.helpers.command_line import CommandLine
from tests.helpers.gate_process import gate_process
from tests.helpers.tokens import token_dir

PAGE = (ROOT / "docs" / "sdk.md").read_text(encoding="utf-8")
AGENT, TOOLS, REVIEWER, DESK, ERRORS, TESTS = python_of(PAGE)
OPEN = ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT
ASKED = ReviewEventType.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED


@pytest.fixture
def plangate(tmp_path: Path) -> Iterator[CommandLine]:
    with gate_process(tmp_path) as address:
        yield CommandLine(address, tmp_path, at_home(tmp_path, token_dir()))


@pytest.fixture
def client(plangate: CommandLine) -> Iterator[Client]:
    with Client(plangate.target) as client:
        yield client


def test_the_agent(plangate: CommandLine, client: Client) -> None:
    """It takes changes to heart, and builds what was approved in the end."""

    def review() -> None:
        answers = iter([("requestChanges", "mind the cat"), ("approve", "")])
        for event in client.watch(ASKED):
            if event.type in {ASKED, OPEN}:
                answer = next(answers)
                client.decide(client.get_plan(event.plan_uri), *answer)
                if answer[0] == "approve":
                    return

    person = threading.Thread(target=review)
    person.start()
    assert run(plangate, sys.executable, "-c", AGENT) == ""
    person.join()
    (plan,) = client.list_plans()
    assert (plan.plan, plan.state) == (
        "# Tidy the cellar\n\nmind the cat",
        PlanState.PLAN_STATE_COMPLETED,
    )


def test_the_tool(plangate: CommandLine, client: Client) -> None:
    """It runs what a person allows, and nothing else."""
    use = "\nwith plangate.Client() as gate:\n    print(run(gate, 'echo hello'))\n"
    for answer, said in (("approved", "hello\n\n"), ("denied", "not allowed: ")):

        def person(answer: str = answer) -> None:
            for shown in client.prompts("monday"):
                if shown.HasField("prompt"):
                    client.answer(shown.prompt, answer)  # type: ignore[arg-type]
                    return

        answering = threading.Thread(target=person)
        answering.start()
        assert run(plangate, sys.executable, "-c", TOOLS + use).startswith(said)
        answering.join()


def test_the_reviewer(plangate: CommandLine, client: Client) -> None:
    """Everything that waits is approved, with a question."""
    plan = client.create_plan("# Tidy the cellar")
    assert run(plangate, sys.executable, "-c", REVIEWER) == f"Tidy the cellar {plan.digest}\n"
    decision = client.wait(plan, any_author=True)
    assert (decision.words, len(decision.comments)) == ("go ahead", 1)
    assert [comment.text for comment in client.review(plan).comments] == ["How long does it take?"]


def test_the_desk(plangate: CommandLine, client: Client) -> None:
    """A person lets sessions go on that an agent could only hold back."""
    client.set_mode("monday", "plan")
    assert run(plangate, sys.executable, "-c", DESK) == ""
    assert client.session("monday").mode == SessionMode.SESSION_MODE_AGENT


def test_the_errors(plangate: CommandLine) -> None:
    """What is not there has a name of its own."""
    assert run(plangate, sys.executable, "-c", ERRORS) == "PLAN_NOT_FOUND plan_uri\n"


def test_the_tests(plangate: CommandLine) -> None:
    """They need no gate."""
    assert run(plangate, sys.executable, "-c", TESTS) == "tested\n"
