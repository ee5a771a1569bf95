"""`plangate show`, and how the plan is found that a command is about."""

from collections.abc import Callable

import grpc
import pytest

from plangate import Client
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceStub
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.command_line import CommandLine
from tests.helpers.tokens import admin

RULE = "─" * 72


def test_a_plan_is_shown_whole(plangate: CommandLine, client: Client) -> None:
    """Name, state, revision, author, overview, text, todos with what they come after, uri and digest."""
    sweep = TodoItem(id="sweep", content="sweep the floor", dependencies=["todo-1"])
    plan = client.create_plan(
        "# Tidy\n\n- für Ada\n",
        name="Cellar",
        overview="Make room.\nSoon.",
        todos=["sort the boxes", sweep],
        agent_id="agent-1",
    )
    done = plangate("show", plan.plan_uri)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Cellar  (in review, revision 1, by agent-1)",
        "Make room.",
        "Soon.",
        "",
        RULE,
        "# Tidy",
        "",
        "- für Ada",
        "",
        RULE,
        "  1. [todo-1] sort the boxes",
        "  2. [sweep] sweep the floor  (after todo-1)",
        "",
        f"plan    {plan.plan_uri}",
        f"digest  {plan.digest}",
    ]


def test_phases_are_shown(plangate: CommandLine, address: str) -> None:
    """What the digest covers is shown: nobody approves the name of a phase without having seen it."""
    args = CreatePlanArgs(plan="# Tidy", is_project=True, phases=[Phase(name="then burn it down")])
    with grpc.insecure_channel(address) as channel:
        plan = PlanServiceStub(admin(channel)).CreatePlan(CreatePlanRequest(args=args)).plan
    assert "then burn it down" in plangate("show", plan.plan_uri).out


@pytest.mark.parametrize(
    "called",
    [
        lambda plan: plan.plan_uri,
        lambda plan: plan.plan_id,
        lambda plan: plan.plan_id[-8:],
        lambda plan: plan.file_name,
        lambda plan: plan.file_name.removesuffix(".plan.md"),
    ],
    ids=["uri", "id", "part of the id", "file name", "part of the file name"],
)
def test_a_plan_has_many_names(plangate: CommandLine, client: Client, called: Callable[[Plan], str]) -> None:
    """A plan is found by its uri, and by any part of its id or file name that no other has."""
    plan = client.create_plan("# Tidy the shed")
    client.create_plan("# Tidy the shed")
    done = plangate("show", called(plan))
    assert (done.code, done.err) == (0, "")
    assert f"plan    {plan.plan_uri}\n" in done.out


@pytest.mark.parametrize("command", ["show", "approve"])
def test_a_name_that_several_plans_have(plangate: CommandLine, client: Client, command: str) -> None:
    """A part that fits more than one plan is refused in one line that names them."""
    word = f"paint-for-{command}"
    plans = [client.create_plan(f"# {word} {color}") for color in ("blue", "red")]
    complaint = plangate(command, word).complaint
    assert complaint.startswith(f"'{word}' fits 2 plans (")
    assert all(plan.file_name in complaint for plan in plans)


@pytest.mark.parametrize("command", ["show", "approve"])
def test_a_name_that_no_plan_has(plangate: CommandLine, command: str) -> None:
    """A name that fits nothing is refused in one line that says where to look."""
    complaint = plangate(command, "no-such-plan").complaint
    assert complaint == "no plan is called 'no-such-plan': see 'plangate pending'"


@pytest.mark.parametrize(
    ("plan_uri", "words"),
    [
        (f"plangate://plans/{0:032x}", "names no plan"),
        ("plangate://plans/1", "is not of the form"),
        ("https://example.com", "is not of the form"),
    ],
)
def test_a_uri_that_is_no_plans(plangate: CommandLine, plan_uri: str, words: str) -> None:
    """A uri that names nothing, or is none of ours, is refused in one line."""
    assert words in plangate("show", plan_uri).complaint


def test_who_decided_is_shown(plangate: CommandLine, client: Client) -> None:
    """Every decision about the revision, with who made it; of a person's own name, nothing twice."""
    plan = client.create_plan("# Tidy the loft")
    client.decide(plan, "reject", "not on a Sunday")
    assert plangate("show", plan.plan_uri).out.splitlines()[-1] == "decided rejected by ada"
