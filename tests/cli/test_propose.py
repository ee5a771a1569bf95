"""`plangate propose`: what an agent does, from the command line."""

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from tests.helpers.command_line import CommandLine


def test_propose_a_file(plangate: CommandLine, client: Client) -> None:
    """A file is put in review as it is, with the name, the todos and the agent that were given."""
    (plangate.folder / "cellar.md").write_text("# Tidy\n\nthe cellar, für Ada\n", encoding="utf-8")
    options = ("--name", "Cellar", "--todo", "sort the boxes", "--todo", "sweep", "--agent", "agent-1")
    done = plangate("propose", "cellar.md", *options)
    first, plan_uri = done.out.splitlines()
    plan = client.get_plan(plan_uri)
    assert (done.code, done.err) == (0, "")
    assert first == f"{plan.file_name} is in review"
    assert plan.state == PlanState.PLAN_STATE_IN_REVIEW
    assert plan.plan == "# Tidy\n\nthe cellar, für Ada\n"
    assert (plan.name, plan.created_by) == ("Cellar", "agent-1")
    assert [todo.content for todo in plan.todos] == ["sort the boxes", "sweep"]


def test_propose_from_standard_input(plangate: CommandLine, client: Client) -> None:
    """A dash reads the plan from a pipe; its name comes from its heading."""
    done = plangate("propose", "-", stdin="# Tidy the attic, für Ada\n".encode())
    plan = client.get_plan(done.out.splitlines()[1])
    assert (done.code, done.err) == (0, "")
    assert (plan.name, plan.plan) == ("Tidy the attic, für Ada", "# Tidy the attic, für Ada\n")
    assert len(plan.todos) == 0


@pytest.mark.parametrize("file", ["missing.md", "folder", "latin-1.md"])
def test_propose_what_cannot_be_read(plangate: CommandLine, file: str) -> None:
    """A file that is missing, a folder or not UTF-8 is named in one line, and nothing is proposed."""
    (plangate.folder / "folder").mkdir()
    (plangate.folder / "latin-1.md").write_bytes("# Für Ada".encode("latin-1"))
    assert f"{file} cannot be read as text" in plangate("propose", file).complaint


def test_propose_standard_input_that_is_not_utf_8(plangate: CommandLine) -> None:
    """A pipe that is not UTF-8 is refused like a file that is not."""
    done = plangate("propose", "-", stdin="# Für Ada".encode("latin-1"))
    assert "cannot be read as text" in done.complaint


@pytest.mark.parametrize("option", ["--name", "--todo", "--agent"])
def test_propose_an_argument_that_is_not_utf_8(plangate: CommandLine, option: str) -> None:
    """An argument that is not UTF-8 is refused in one line."""
    assert plangate("propose", "-", option, b"F\xfcr", stdin=b"# Tidy").complaint


def test_propose_nothing(plangate: CommandLine) -> None:
    """A refusal of the gate is one line: the field at fault and what to do."""
    done = plangate("propose", "-", stdin=b"\n")
    assert done.complaint == "args.plan is empty: write the plan as Markdown"
