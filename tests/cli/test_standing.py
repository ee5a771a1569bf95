"""Where a plan stands, as `plangate show` and `plangate pending` tell it: before a decision, and after."""

import re
import uuid
from datetime import timedelta

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.command_line import CommandLine

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"


def standing(plangate: CommandLine, plan: Plan) -> list[str]:
    """What is shown below the digest, without the times and what to type."""
    below = plangate("show", plan.plan_uri).out.partition("\ndigest  ")[2].partition("\nto decide\n")[0]
    return re.sub(TIME, "TIME", re.sub(r"\d+ (s|min)\b", "… s", below)).splitlines()[1:]


@pytest.fixture
def plan(client: Client) -> Plan:
    return client.create_plan("# Tidy", todos=["sort", "sweep"])


def test_how_long_it_waits_and_for_what(plangate: CommandLine, client: Client) -> None:
    """When it expires, how many approvals it still needs, and who has approved already."""
    plan = client.create_plan("# Tidy", expires_after=timedelta(hours=1), required_approvals=2)
    waits = "waits   … s, and expires in … s, at TIME"
    assert standing(plangate, plan) == [waits, "needs   2 more approvals, of 2"]
    done = plangate("approve", plan.plan_uri, "--digest", plan.digest)
    assert done.out == f"{plan.file_name}: approved, as one of 2 that are needed\n"
    assert standing(plangate, plan) == [
        waits,
        "needs   1 more approval, of 2",
        "decided       TIME  approved by ada",
    ]


def test_the_way_of_an_approval(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """Decided, delivered, acknowledged, being built: each with its time as soon as it has one."""
    client.decide(plan, "approve", "go on")
    decided = ["decided       TIME  approved by ada", "  > go on"]
    missing = ["delivered     not yet", "acknowledged  not yet", "being built   not yet"]
    assert standing(plangate, plan) == [*decided, *missing]
    decision = client.wait(plan)
    client.acknowledge(decision)
    there = ["delivered     TIME", "acknowledged  TIME"]
    assert standing(plangate, plan) == [*decided, *there, missing[-1]]
    build = client.build(decision)
    build.start(build.todos[0])
    build.done(build.todos[0])
    build.start(build.todos[1])
    built = ["being built   TIME", "progress      1 of 2 todos completed, 1 in progress"]
    assert standing(plangate, plan) == [*decided, *there, *built]
    assert "● completed    [todo-1] sort\n" in plangate("show", plan.plan_uri).out


def test_the_way_of_a_no(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """The words are shown with it; nothing is said of a build that will not come."""
    client.decide(plan, "reject", "not on a Sunday")
    assert standing(plangate, plan) == [
        "decided       TIME  rejected by ada",
        "  > not on a Sunday",
        "delivered     not yet",
        "acknowledged  not yet",
    ]


def test_an_end_without_a_decision(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """A plan that was taken back says so."""
    client.withdraw(plan)
    assert standing(plangate, plan) == ["ended         TIME  withdrawn: the agent took it back"]


def test_a_person_who_edited_is_named(plangate: CommandLine, client: Client) -> None:
    """Who asked is not who wrote this text, and the session is part of who asks."""
    session = uuid.uuid4().hex
    plan = client.create_plan("# Tidy", session_id=session)
    client.decide(plan, "edit", edited="# Tidy up")
    heading, *_ = plangate("show", plan.plan_uri).out.splitlines()
    assert heading == (
        f"Tidy  (approved, revision 2, by local-agent, this revision by ada, session {session})"
    )
