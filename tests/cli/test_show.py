"""`plangate show`, and how the plan is found that a command is about."""

import re
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


def test_a_plan_is_shown_whole(plangate: CommandLine, client: Client) -> None:
    """Who asks for what, the text, the todos in the order in which they can be done, where it stands, and
    what to type next.
    """
    sweep = TodoItem(id="sweep", content="sweep the floor", dependencies=["todo-2"])
    plan = client.create_plan(
        "# Tidy\n\n- für Ada\n",
        name="Cellar",
        overview="Make room.\nSoon.",
        todos=[sweep, "sort the boxes"],
        agent_id="agent-1",
    )
    named = plan.plan_id[-8:]
    done = plangate("show", plan.plan_uri)
    assert (done.code, done.err) == (0, "")
    assert re.sub(r"\d+ (s|min),", "… s,", done.out).splitlines() == [
        "Cellar  (in review, revision 1, by agent-1)",
        "  > Make room.",
        "  > Soon.",
        "",
        "   1 │ # Tidy",
        "   2 │ ",
        "   3 │ - für Ada",
        "   4 │ ",
        "",
        "  1. ○ ready        [todo-2] sort the boxes",
        "  2. ◌ waits        [sweep] sweep the floor  (after todo-2)",
        "",
        f"plan    {plan.plan_uri}",
        f"digest  {plan.digest}",
        "waits   … s, until somebody decides",
        "",
        "to decide",
        f"  plangate approve {named}",
        f"  plangate reject {named} 'what to do differently'",
        f"  plangate request-changes {named} 'what to change'",
        f"  plangate edit {named}",
        f"  plangate comment add {named} 'a remark' --lines 1-2",
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


def test_nothing_in_a_plan_passes_for_what_the_gate_says(plangate: CommandLine, client: Client) -> None:
    """Every line of somebody's text has a margin: a text that shows another digest stands behind it."""
    forged = f"digest  {'0' * 64}"
    plan = client.create_plan(f"# Tidy\n\n{forged}", overview=f"Soon.\n{forged}", todos=[f"sort\n{forged}"])
    lines = plangate("show", plan.plan_uri).out.splitlines()
    assert [line for line in lines if line.startswith("digest")] == [f"digest  {plan.digest}"]
    assert sum(forged in line for line in lines) == 3
