"""`plangate propose`: what an agent does, from the command line."""

import json
from datetime import timedelta

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.todo_tools_pb2 import TodoStatus
from tests.helpers.command_line import CommandLine, Done

PLAN_FILE = """\
---
name: Mend the door
overview: It squeaks
todos:
  - id: oil
    content: Oil it
  - id: hang
    content: Hang it
    dependencies: [oil]
isProject: true
phases:
  - name: All
    todos: [oil]
---

# The door
"""


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


def test_propose_a_plan_file(plangate: CommandLine, client: Client) -> None:
    """Name, overview, todos with their dependencies, phases and flags are what the front matter says."""
    (plangate.folder / "door.plan.md").write_text(PLAN_FILE, encoding="utf-8")
    done = plangate("propose", "door.plan.md")
    plan = client.get_plan(done.out.splitlines()[1])
    assert (done.code, done.err) == (0, "")
    assert (plan.name, plan.overview, plan.plan) == ("Mend the door", "It squeaks", "# The door\n")
    assert [(todo.id, list(todo.dependencies)) for todo in plan.todos] == [("oil", []), ("hang", ["oil"])]
    assert [(phase.name, [todo.id for todo in phase.todos]) for phase in plan.phases] == [("All", ["oil"])]
    assert plan.is_project


def test_options_win_over_the_file(plangate: CommandLine, client: Client) -> None:
    """A name that is given is taken; todos that are given come after those of the file."""
    done = plangate("propose", "-", "--name", "Paint it", "--todo", "dry", stdin=PLAN_FILE.encode())
    plan = client.get_plan(done.out.splitlines()[1])
    assert (plan.name, [todo.content for todo in plan.todos]) == ("Paint it", ["Oil it", "Hang it", "dry"])


def test_what_was_mended_is_told_with_its_line(plangate: CommandLine) -> None:
    """What the reader of plan files took otherwise than it stands is on standard error, and no failure."""
    (plangate.folder / "door.plan.md").write_text(
        "---\nname: Mend: the door\n---\n# The door\n", encoding="utf-8"
    )
    done = plangate("propose", "door.plan.md")
    assert done.code == 0
    assert done.err.startswith("plangate: door.plan.md, line 2: a colon needs quotes")


def test_progress_that_is_not_taken_is_told(plangate: CommandLine, client: Client) -> None:
    """For the gate nothing of a new plan is done: whoever proposes one that was begun is told so."""
    begun = PLAN_FILE.replace("    content: Oil it\n", "    content: Oil it\n    status: completed\n")
    done = plangate("propose", "-", stdin=begun.encode())
    assert done == Done(
        0, done.out, "plangate: -: 1 todo is further than pending, which a new plan forgets\n"
    )
    todos = client.get_plan(done.out.splitlines()[1]).todos
    assert {todo.status for todo in todos} == {TodoStatus.TODO_STATUS_PENDING}


def test_how_long_people_have_and_how_many_must_agree(plangate: CommandLine, client: Client) -> None:
    """Expiry, the number of approvals and the session are those that were given."""
    options = ("--expires", "2h", "--approvals", "2", "--session", "evening", "--json")
    plan = json.loads(plangate("propose", "-", *options, stdin=b"# Tidy").out)
    review = client.get_plan(plan["planUri"]).review
    given = review.expire_time.ToDatetime() - review.request_time.ToDatetime()
    assert given == timedelta(hours=2)
    assert (review.required_approvals, plan["sessionId"]) == (2, "evening")


def test_a_duration_that_is_none(plangate: CommandLine) -> None:
    """It is refused before anything is proposed, with what to write."""
    done = plangate("propose", "-", "--expires", "soon", stdin=b"# Tidy")
    assert done.code == 2
    assert "'soon' is no duration: write a number and s, min, h or d, like 2h" in done.err


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("missing.md", "missing.md cannot be read: No such file or directory"),
        ("folder", "folder cannot be read: Is a directory"),
        ("latin-1.md", "latin-1.md, line 1: this is not UTF-8: save the file as UTF-8"),
        ("twice.md", "twice.md, line 3: 'name' stands here twice, first in line 2: keep one"),
    ],
)
def test_propose_what_cannot_be_read(plangate: CommandLine, file: str, problem: str) -> None:
    """What is missing, a folder, not UTF-8 or no plan file is named in one line, and nothing is proposed."""
    (plangate.folder / "folder").mkdir()
    (plangate.folder / "latin-1.md").write_bytes("# Für Ada".encode("latin-1"))
    (plangate.folder / "twice.md").write_text("---\nname: a\nname: b\n---\n", encoding="utf-8")
    assert plangate("propose", file).complaint == problem


def test_propose_standard_input_that_is_not_utf_8(plangate: CommandLine) -> None:
    """A pipe that is not UTF-8 is refused like a file that is not."""
    done = plangate("propose", "-", stdin="# Für Ada".encode("latin-1"))
    assert done.complaint == "-, line 1: this is not UTF-8: save the file as UTF-8"


@pytest.mark.parametrize("option", ["--name", "--todo", "--agent", "--session"])
def test_propose_an_argument_that_is_not_utf_8(plangate: CommandLine, option: str) -> None:
    """An argument that is not UTF-8 is refused in one line."""
    done = plangate("propose", "-", option, b"F\xfcr", stdin=b"# Tidy")
    assert done.complaint.endswith("is not text in UTF-8: write it anew")


def test_propose_nothing(plangate: CommandLine) -> None:
    """A refusal of the gate is one line: the field at fault and what to do."""
    done = plangate("propose", "-", stdin=b"\n")
    assert done.complaint == "args.plan is empty: write the plan as Markdown"
