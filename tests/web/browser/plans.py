"""Plans as agents propose and revise them, for the page to show."""

from __future__ import annotations

from collections.abc import Sequence

from plangate_proto.agent.v1 import plan_service_pb2 as plan_pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, Phase
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.web.browser.desk import Room

CELLAR = "# Tidy the cellar\n\nCarry the boxes up.\nSweep the floor.\n"


def todo(id: str, content: str = "", *dependencies: str) -> TodoItem:
    return TodoItem(id=id, content=content or f"do {id}", dependencies=dependencies)


async def proposed(office: Room, plan: str = CELLAR, todos: Sequence[TodoItem] = (), overview: str = "") -> Plan:
    args = CreatePlanArgs(plan=plan, todos=todos, overview=overview)
    return await office.gate.propose(plan_pb.CreatePlanRequest(args=args))


async def revised(office: Room, plan: Plan, text: str, todos: Sequence[TodoItem] = ()) -> Plan:
    request = plan_pb.UpdatePlanRequest(
        plan_uri=plan.plan_uri,
        expected_revision=plan.revision,
        args=CreatePlanArgs(plan=text, todos=todos),
    )
    return (await office.gate.agent.UpdatePlan(request)).plan


def fifty_four() -> CreatePlanArgs:
    """A project of six phases with nine todos each; those of a phase come after those of the one before."""
    phases = [
        Phase(
            name=f"Phase {number}",
            todos=[
                todo(f"p{number}-{place}", "", *([f"p{number - 1}-{place}"] if number else []))
                for place in range(9)
            ],
        )
        for number in range(6)
    ]
    return CreatePlanArgs(plan="# Move the house", phases=phases, is_project=True)


def long_text(kilobytes: int) -> str:
    """Sections with lists and code, until it is so long."""
    section = "## Section {0}\n\n- carry box {0}\n- sweep **the floor**\n\n```sh\nmake section-{0}\n```\n\n"
    sections = (section.format(number) for number in range(kilobytes * 1024 // len(section)))
    return "# A long plan\n\n" + "".join(sections)
