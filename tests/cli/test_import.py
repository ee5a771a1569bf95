"""`plangate import`: many files become plans, each once."""

import json
import os
from pathlib import Path

import pytest

from plangate import Client
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.command_line import CommandLine, Done

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


def every_file() -> list[str]:
    """Each by its name: of a folder, only the plan files are taken."""
    return [f"files/{name}" for name in sorted(FILES)]


def test_every_kind_of_file(plangate: CommandLine, client: Client, folder: Path) -> None:
    """A line for each file says which plan it is now."""
    done = plangate("import", *every_file(), "--agent", "mover")
    lines = [line.split(": ") for line in done.out.splitlines()]
    assert done.code == 0, done.err
    assert [name for name, _ in lines] == every_file()
    assert all(said.endswith(".plan.md is in review") for _, said in lines)
    plans = {plan.file_name: plan for plan in client.list_plans(agent_id="mover")}
    cellar = plans[lines[0][1].split()[0]]
    assert [todo.id for todo in cellar.todos] == ["sort", "sweep", "paint"]
    assert [phase.name for phase in cellar.phases] == ["Later"]


def test_the_same_file_again_is_not_proposed_again(
    plangate: CommandLine, client: Client, folder: Path
) -> None:
    """Whatever kind of file it is and whatever became of the plan: the line says which, and how it is."""
    first = imported(plangate, *every_file())
    assert [plan["existed"] for plan in first] == [False] * len(FILES)
    decided = client.get_plan(str(first[0]["planUri"]))
    client.decide(decided, "reject", "no")
    again = plangate("import", *every_file(), "files/plain.md")
    assert again.code == 0
    assert again.out.count(": the gate has it already: ") == len(FILES) + 1
    assert f"the gate has it already: {decided.file_name} (rejected)\n" in again.out


def test_json_tells_the_plan_of_every_file_each_time(plangate: CommandLine, folder: Path) -> None:
    """A script finds the same plans in every run, and reads of each whether the gate had it before."""
    first = imported(plangate, *every_file())
    again = imported(plangate, *every_file())
    assert again == [{**plan, "existed": True} for plan in first]


def test_two_files_with_the_same_plan_are_one(plangate: CommandLine, folder: Path) -> None:
    """Also within one import, which tells the plan for each of them."""
    (folder / "zz.md").write_bytes((folder / "plain.md").read_bytes())
    one, other = imported(plangate, "files/plain.md", "files/zz.md")
    assert (one["planUri"], one["existed"]) == (other["planUri"], False)
    assert other["existed"]


def made(folder: Path, *names: str) -> None:
    """Files in a folder, each with a text of its own."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# About {folder} {name}\n", encoding="utf-8")


def read_of(done: Done) -> list[str]:
    """The files that were taken."""
    return [line.split(": ")[0] for line in done.out.splitlines()]


def test_of_a_folder_only_plan_files_are_taken(plangate: CommandLine, tmp_path: Path) -> None:
    """Those of the folders in it, an editor's hidden one, too; what else may have been meant is named."""
    taken = ["a.plan.md", "deep/er/b.PLAN.md", "repo/.cursor/plans/c.plan.md"]
    made(tmp_path / "in", *taken, "README.md", "deep/notes.markdown", "deep/package.json", "code.py")
    made(tmp_path / "in", "repo/.cursor/plans/notes.md", ".git/d.plan.md", "deep/node_modules/e.plan.md")
    done = plangate("import", "in")
    assert (done.code, read_of(done)) == (0, [f"in/{name}" for name in taken])
    of_programs, others = done.err.splitlines()
    assert of_programs == "plangate: left out: in/.git, in/deep/node_modules (kept by programs)"
    named = "in/README.md, in/deep/notes.markdown, in/deep/package.json, in/repo/.cursor/plans/notes.md"
    why = "not named *.plan.md: name such a file, or its --format, to take it"
    assert others == f"plangate: left out: {named} ({why})"


def test_what_is_no_file_is_told(plangate: CommandLine, tmp_path: Path) -> None:
    """A pipe under the name of a plan file is neither waited for nor passed over in silence."""
    made(tmp_path / "in", "a.plan.md")
    os.mkfifo(tmp_path / "in" / "b.plan.md")
    done = plangate("import", "in")
    assert (done.code, read_of(done)) == (0, ["in/a.plan.md"])
    assert done.err == "plangate: left out: in/b.plan.md (not a regular file)\n"


def test_a_format_takes_all_files_that_can_be_of_it(plangate: CommandLine, tmp_path: Path) -> None:
    """Whoever names the format means plain Markdown of any name; JSON is never that."""
    made(tmp_path / "in", "a.plan.md", "deep/notes.md", "package.json")
    done = plangate("import", "in", "--format", "claude-code")
    assert (done.code, read_of(done)) == (0, ["in/a.plan.md", "in/deep/notes.md"])
    assert done.err == "plangate: left out: in/package.json (no files of claude-code)\n"


def test_no_link_in_a_folder_is_followed(plangate: CommandLine, tmp_path: Path) -> None:
    """Neither one that would go on for ever, nor one to a file of somebody else; it is told."""
    made(tmp_path, "elsewhere/secret.plan.md", "in/sub/a.plan.md")
    (tmp_path / "in" / "sub" / "loop").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "b.plan.md").symlink_to(tmp_path / "elsewhere" / "secret.plan.md")
    (tmp_path / "meant").symlink_to(tmp_path / "in")
    done = plangate("import", "meant")
    assert (done.code, read_of(done)) == (0, ["meant/sub/a.plan.md"])
    assert done.err == "plangate: left out: meant/b.plan.md, meant/sub/loop (links, which are not followed)\n"


def test_a_folder_has_an_end(plangate: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is too deep is told, and one that is too large is refused before anything is proposed."""
    monkeypatch.setattr("plangate.cli._plan_folders.DEEPEST", 2)
    made(tmp_path / "in", "1/2/a.plan.md", "1/2/3/b.plan.md")
    done = plangate("import", "in")
    assert (read_of(done), done.err) == (
        ["in/1/2/a.plan.md"],
        "plangate: left out: in/1/2/3 (more than 32 folders deep)\n",
    )
    monkeypatch.setattr("plangate.cli._plan_folders.MOST_ENTRIES", 3)
    made(tmp_path / "in", "4.plan.md")
    refused = plangate("import", "in")
    assert refused.complaint == "in has more than 3 entries: name a folder of plans in it"


def test_a_plan_by_the_uri_of_an_editor(plangate: CommandLine, tmp_path: Path) -> None:
    """A plan is found by what an editor calls it, also with characters that a URI escapes."""
    made(tmp_path, ".cursor/plans/my plan.plan.md")
    done = plangate("import", f"cursorPlan://{tmp_path}/.cursor/plans/my%20plan.plan.md")
    assert (done.code, done.out.count(" is in review\n")) == (0, 1)
    refused = plangate("import", "cursorPlan://elsewhere/a.plan.md")
    assert refused.complaint.startswith("cursorPlan://elsewhere/a.plan.md names no file of this machine")


def test_an_export_is_known_again(plangate: CommandLine, client: Client, folder: Path) -> None:
    """What was exported and is imported unchanged is the plan that the gate has."""
    plans = imported(plangate, *every_file())
    out = plangate.folder / "out"
    out.mkdir()
    for plan in plans:
        assert plangate("export", str(plan["planUri"]), "--output", "out").code == 0
    again = imported(plangate, "out")
    assert {plan["planUri"] for plan in again} == {plan["planUri"] for plan in plans}
    assert all(plan["existed"] for plan in again)


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
    files = sorted(every_file() + [f"files/{name}" for name in bad])
    done = plangate("import", *files, "missing.md")
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
    assert plangate("import", "empty").complaint == "empty has no plan file, *.plan.md"


def test_a_bad_folder_does_not_stop_the_others(plangate: CommandLine, folder: Path) -> None:
    """Neither one without plans nor one that cannot be read: what was proposed is told, in JSON as well."""
    (plangate.folder / "empty").mkdir()
    unreadable = "x" * 300
    done = plangate("import", "files/plain.md", "empty", unreadable, "files/unnamed.md", "--json")
    assert done.code == 1
    assert len(json.loads(done.out)) == 2
    assert done.err.splitlines() == [
        "plangate: empty has no plan file, *.plan.md",
        f"plangate: {unreadable} cannot be read: File name too long",
    ]
