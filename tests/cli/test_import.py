"""`plangate import`: many files become plans, each once."""

import json
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.command_line import CommandLine

FILES = {
    "cellar.plan.md": """\
---
name: Tidy the {0}
todos:
  - id: sort
    content: Sort
  - id: sweep
    content: Sweep
    dependencies: [sort]
phases:
  - name: Later
    todos:
      - id: paint
        content: Paint
---

Before winter.
""",
    "plain.md": "# Paint the {0}\r\n\r\nin white\r\n",
    "unnamed.md": "Only words about the {0}\n",
    "only-todos.md": "---\nname: The {0} \ntodos:\n  - content: Sort it\n---\n",
    "older.md": "<!-- 0a1b2c3d-0000-4000-8000-000000000001 0a1b2c3d-0000-4000-8000-000000000002 -->\n"
    "# The {0}\n\n### To-dos\n\n- [ ] Sort\n- [x] Sweep\n",
    "todos.json": '{{"name": "The {0}", "todos": [{{"content": "Sort", "status": "in_progress"}}]}}',
    "codex.json": '{{"explanation": "The {0}", "plan": [{{"step": "Sort"}}, {{"step": "Sweep"}}]}}',
    "tasks.json": '{{"a": {{"tasks": [{{"id": 1, "title": "{0}"}}]}}, '
    '"b": {{"tasks": [{{"id": 1, "title": "x"}}]}}}}',
    "spec.md": "# Tasks: the {0}\n\n## Phase 1\n\n- [ ] T001 Sort\n\n## Phase 2\n\n- [x] T002 [P] Sweep\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of every kind, which no other test has."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_bytes(text.format(tmp_path.name).encode())
    return folder


def imported(plangate: CommandLine, *arguments: str) -> list[dict[str, object]]:
    done = plangate("import", *arguments, "--json")
    assert done.code == 0, done.err
    plans: list[dict[str, object]] = json.loads(done.out)
    return plans


def test_every_kind_of_file_in_a_folder(plangate: CommandLine, client: Client, folder: Path) -> None:
    """A line for each file says which plan it is now; they come by name, and other files stay out."""
    (folder / "notes.txt").write_text("# No plan", encoding="utf-8")
    done = plangate("import", "files", "--agent", "mover")
    lines = [line.split(": ") for line in done.out.splitlines()]
    assert done.code == 0, done.err
    assert [name for name, _ in lines] == [f"files/{name}" for name in sorted(FILES)]
    assert all(said.endswith(".plan.md is in review") for _, said in lines)
    plans = {plan.file_name: plan for plan in client.list_plans(agent_id="mover")}
    cellar = plans[lines[0][1].split()[0]]
    assert [todo.id for todo in cellar.todos] == ["sort", "sweep", "paint"]
    assert [phase.name for phase in cellar.phases] == ["Later"]


def test_the_same_file_again_is_not_proposed_again(
    plangate: CommandLine, client: Client, folder: Path
) -> None:
    """Whatever kind of file it is and whatever became of the plan: the line says which, and how it is."""
    first = imported(plangate, "files")
    assert len(first) == len(FILES)
    decided = client.get_plan(str(first[0]["planUri"]))
    client.decide(decided, "reject", "no")
    again = plangate("import", "files", "files/plain.md")
    assert again.code == 0
    assert again.out.count(": the gate has it already: ") == len(FILES) + 1
    assert f"the gate has it already: {decided.file_name} (rejected)\n" in again.out
    assert imported(plangate, "files") == []


def test_two_files_with_the_same_plan_are_one(plangate: CommandLine, folder: Path) -> None:
    """Also within one import."""
    (folder / "zz.md").write_bytes((folder / "plain.md").read_bytes())
    assert len(imported(plangate, "files/plain.md", "files/zz.md")) == 1


def test_an_export_is_known_again(plangate: CommandLine, client: Client, folder: Path) -> None:
    """What was exported and is imported unchanged is the plan that the gate has."""
    plans = imported(plangate, "files")
    out = plangate.folder / "out"
    out.mkdir()
    for plan in plans:
        assert plangate("export", str(plan["planUri"]), "--output", "out").code == 0
    assert imported(plangate, "out") == []


def test_a_bad_file_does_not_stop_the_others(plangate: CommandLine, folder: Path) -> None:
    """It is named with its line on standard error, and so is what the gate refuses; the exit code is 1."""
    bad = {
        "a.md": "---\nname: a\nname: b\n---\n",
        "b.json": '{"colour": "red"}',
        "c.md": "---\nname: c\ntodos:\n  - id: x\n    content: x\n    dependencies: [y]\n---\n",
        "d.md": " \n",
    }
    for name, text in bad.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = plangate("import", "files", "missing.md")
    complaints = [line for line in done.err.splitlines() if "which a" not in line]
    assert done.code == 1
    assert done.out.count(" is in review\n") == len(FILES)
    assert [line.split(":")[1].split(",")[0].strip() for line in complaints] == [
        *(f"files/{name}" for name in bad),
        "missing.md cannot be read",
    ]
    assert "files/a.md, line 3: 'name' stands here twice" in complaints[0]
    assert "files/b.json, line 1: this is JSON, and none that is known" in complaints[1]
    assert "files/c.md: " in complaints[2]
    assert "files/d.md, line 1: the file has neither a text nor todos" in complaints[3]


def test_a_format_that_is_given_is_held_to(plangate: CommandLine, client: Client, folder: Path) -> None:
    """As Markdown a list of tasks is just text; and what is no list of tasks is refused as one."""
    (plan,) = imported(plangate, "files/spec.md", "--format", "markdown")
    assert "todos" not in plan
    assert len(imported(plangate, "files/spec.md", "--format", "spec-kit")) == 1
    refused = plangate("import", "files/plain.md", "--format", "spec-kit")
    assert refused.complaint.startswith("files/plain.md, line 1: no line of this is a task of spec-kit")
    refused = plangate("import", "files/todos.json", "--format", "codex")
    assert (
        refused.complaint
        == "files/todos.json, line 1: this is JSON, and none that is known: Codex update_plan"
    )


def test_standard_input(plangate: CommandLine, client: Client) -> None:
    """A dash reads one plan from a pipe."""
    done = plangate("import", "-", "--json", stdin=FILES["todos.json"].format("pipe").encode())
    plan: Plan = client.get_plan(json.loads(done.out)[0]["planUri"])
    assert (plan.name, [todo.content for todo in plan.todos]) == ("The pipe", ["Sort"])


@pytest.mark.parametrize(
    "text", ["Only words about a {0}\n", '[{{"content": "Sweep the {0}"}}]', "\n\n#\n{0} ##\n"]
)
def test_standard_input_without_a_heading_is_known_again(
    plangate: CommandLine, tmp_path: Path, text: str
) -> None:
    """It has no name of its own: the one that the gate gives it does not make it another plan."""
    data = text.format(tmp_path.name).encode()
    assert len(json.loads(plangate("import", "-", "--json", stdin=data).out)) == 1
    again = plangate("import", "-", stdin=data)
    assert (again.code, again.out.split(": ")[:2]) == (0, ["-", "the gate has it already"])


def test_a_folder_without_plans(plangate: CommandLine) -> None:
    """It is named, since something else was meant."""
    (plangate.folder / "empty").mkdir()
    assert plangate("import", "empty").complaint == "empty has no Markdown or JSON file"


def test_a_bad_folder_does_not_stop_the_others(plangate: CommandLine, folder: Path) -> None:
    """Neither one without plans nor one that cannot be read: what was proposed is told, in JSON as well."""
    (plangate.folder / "empty").mkdir()
    unreadable = "x" * 300
    done = plangate("import", "files/plain.md", "empty", unreadable, "files/unnamed.md", "--json")
    assert done.code == 1
    assert len(json.loads(done.out)) == 2
    assert done.err.splitlines() == [
        "plangate: empty has no Markdown or JSON file",
        f"plangate: {unreadable} cannot be read: File name too long",
    ]
