"""`plangate export`: plans as files, byte for byte, and never over something else."""

import os
from pathlib import Path

import pytest

from plangate import Client
from plangate.planfile import write_plan_file
from plangate.planfile.api import from_plan
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem
from tests.helpers.command_line import CommandLine, Done
from tests.helpers.gate_process import gate_process
from tests.helpers.terminal import at_terminal


@pytest.fixture
def plan(client: Client) -> Plan:
    todos = [
        TodoItem(id="sort", content="sort"),
        TodoItem(id="sweep", content="sweep", dependencies=["sort"]),
    ]
    return client.create_plan("# Tidy: the cellar\n\nfür Ada", overview="Before #winter", todos=todos)


def bytes_of(plan: Plan) -> bytes:
    return write_plan_file(from_plan(plan))


def test_into_this_folder(plangate: CommandLine, plan: Plan) -> None:
    """Without more words, the file has the plan's own name and is here."""
    done = plangate("export", plan.plan_uri)
    assert done == Done(0, f"{plan.file_name}: written\n", "")
    assert (plangate.folder / plan.file_name).read_bytes() == bytes_of(plan)


@pytest.mark.parametrize("output", ["other.md", "folder", "folder/other.md"])
def test_to_where_it_is_wanted(plangate: CommandLine, plan: Plan, output: str) -> None:
    """A file that is named is that file; a folder gets a file of the plan's own name."""
    (plangate.folder / "folder").mkdir()
    assert plangate("export", plan.plan_uri, "--output", output).code == 0
    path = plangate.folder / (f"folder/{plan.file_name}" if output == "folder" else output)
    assert path.read_bytes() == bytes_of(plan)
    assert not list(plangate.folder.rglob("*.part"))


def test_to_a_pipe(plangate: CommandLine, plan: Plan) -> None:
    """A dash is standard output: the file and nothing else."""
    assert plangate("export", plan.plan_uri, "--output", "-") == Done(0, bytes_of(plan).decode(), "")


def test_not_to_a_terminal(plangate: CommandLine, plan: Plan) -> None:
    """A plan's bytes could act on it."""
    with at_terminal(plangate, "export", plan.plan_uri, "--output", "-") as terminal:
        assert terminal.exit_code() == 1
    assert terminal.screen == (
        "plangate: what a plan says could act on the terminal: give a file, or see 'plangate show'\n"
    )


def test_an_earlier_revision(plangate: CommandLine, client: Client, plan: Plan) -> None:
    """A revision that is named is written as it was."""
    client.update_plan(plan, "# Something else")
    done = plangate("export", plan.plan_uri, "--revision", "1", "--output", "-")
    assert done.out.endswith(f"---\n\n{plan.plan}")
    assert plangate("export", plan.plan_uri, "--revision", "7").complaint


@pytest.mark.parametrize("number", ["0", "-1", "one", "9" * 30])
def test_what_is_no_revision(plangate: CommandLine, plan: Plan, number: str) -> None:
    """It is refused before anybody is asked, as by the other commands."""
    done = plangate("export", plan.plan_uri, f"--revision={number}")
    assert done.code == 2
    assert f"'{number}' is no revision: they are counted from 1" in done.err


def test_what_is_there_is_not_lost(plangate: CommandLine, plan: Plan) -> None:
    """The same file is left alone; another one is replaced only if that is what was asked for."""
    path = plangate.folder / plan.file_name
    assert plangate("export", plan.plan_uri).code == 0
    assert plangate("export", plan.plan_uri).out == f"{plan.file_name}: unchanged\n"
    path.write_text("my own words", encoding="utf-8")
    refused = plangate("export", plan.plan_uri).complaint
    assert refused == f"{plan.file_name} is there and says something else: give --force to replace it"
    assert path.read_text(encoding="utf-8") == "my own words"
    assert plangate("export", plan.plan_uri, "--force").out == f"{plan.file_name}: replaced\n"
    assert path.read_bytes() == bytes_of(plan)


@pytest.mark.parametrize("more", [(), ("--force",)])
@pytest.mark.parametrize("leads_to", ["a file", "nowhere"])
@pytest.mark.parametrize("output", ["out", "out/{name}"])
def test_no_link_is_followed_or_replaced(
    plangate: CommandLine, plan: Plan, output: str, leads_to: str, more: tuple[str, ...]
) -> None:
    """Wherever it leads, nothing is written there, and the link stays."""
    outside, link = plangate.folder / "outside", plangate.folder / "out" / plan.file_name
    outside.mkdir()
    link.parent.mkdir()
    link.symlink_to("../outside/plan.md")
    if leads_to == "a file":
        (outside / "plan.md").write_text("my own words", encoding="utf-8")
    before = [path.read_text(encoding="utf-8") for path in outside.iterdir()]
    done = plangate("export", plan.plan_uri, "--output", output.format(name=plan.file_name), *more)
    assert done.complaint == (f"out/{plan.file_name} is a symbolic link, which is not followed: move it away")
    assert [path.read_text(encoding="utf-8") for path in outside.iterdir()] == before
    assert link.is_symlink()


def test_who_may_read_it(plangate: CommandLine, plan: Plan) -> None:
    """A new file is open to whom the umask says, and one that is replaced stays as open as it was."""
    path = plangate.folder / plan.file_name
    umask = os.umask(0o027)
    try:
        assert plangate("export", plan.plan_uri).code == 0
    finally:
        os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o640
    path.write_text("my own words", encoding="utf-8")
    path.chmod(0o664)
    assert plangate("export", plan.plan_uri, "--force").code == 0
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o664, bytes_of(plan))


def test_where_nothing_can_be_written(plangate: CommandLine, plan: Plan) -> None:
    """The place is named."""
    complaint = plangate("export", plan.plan_uri, "--output", "missing/plan.md").complaint
    assert complaint == "missing/plan.md cannot be written: No such file or directory"


def test_every_plan(tmp_path: Path) -> None:
    """All are written, each under its own name; one that cannot be does not stop the others."""
    with gate_process(tmp_path) as address, Client(address) as client:
        plans = [client.create_plan(f"# Plan {number}") for number in range(3)]
        plangate = CommandLine(address, tmp_path)
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / plans[1].file_name).write_text("my own words", encoding="utf-8")
        done = plangate("export", "--all", "--output", "out")
        assert done.code == 1
        assert done.out == "".join(f"out/{plan.file_name}: written\n" for plan in (plans[0], plans[2]))
        assert "says something else" in done.err
        assert plangate("export", "--all", "--output", "out", "--force").code == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {
        plan.file_name: bytes_of(plan) for plan in plans
    }


@pytest.mark.parametrize("more", [("--revision", "1"), ("--output", "plans.md")])
def test_every_plan_needs_a_folder(plangate: CommandLine, more: tuple[str, ...]) -> None:
    """A single file, or a revision of each, is not what --all can mean."""
    assert "--all takes a folder" in plangate("export", "--all", *more).complaint
