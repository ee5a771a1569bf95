"""`plangate audit`: a log is exported from a gate, and checked where there is none."""

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceStub
from plangate_server.domain.limits import DEFAULTS
from tests.cli.conftest import Stopped
from tests.helpers.audit_logs import fill_log, forget, inserting, swapping, tamper
from tests.helpers.command_line import MAIN, CommandLine, Done
from tests.helpers.conditions import PATIENCE, look_until
from tests.helpers.gate_process import gate_process
from tests.helpers.tokens import admin

LOG = "audit.jsonl"
PATIENT = f"from plangate import Client; Client.__init__.__kwdefaults__['timeout'] = {PATIENCE}\n{MAIN}"
SOME_HEAD = f"3:{'0' * 64}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audited")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A gate with a log that nobody adds to: events of plans, of a session and of a tool call."""
    with gate_process(folder) as address:
        fill_log(address)
        yield address


@pytest.fixture
def lines(plangate: CommandLine) -> list[str]:
    """The export of that log, which is in the folder of the command line, too."""
    assert plangate("audit", "export", "--output", LOG).code == 0
    return (plangate.folder / LOG).read_text(encoding="ascii").splitlines(keepends=True)


def offline(plangate: CommandLine) -> CommandLine:
    """The same folder where no gate is."""
    return CommandLine("127.0.0.1:1", plangate.folder)


def verified(plangate: CommandLine, lines: list[str], *options: str) -> Done:
    """What is said to an export with these lines, where no gate is."""
    (plangate.folder / "other.jsonl").write_text("".join(lines), encoding="ascii")
    return offline(plangate)("audit", "verify", "other.jsonl", *options)


def head_of(done: Done) -> str:
    assert (done.code, done.err) == (0, "")
    return done.out.split()[-1]


def test_an_export_holds_the_whole_log(plangate: CommandLine, lines: list[str]) -> None:
    """Entries of plans, sessions and tool calls, each with its content; only its owner can read it."""
    entries = [json.loads(line) for line in lines[1:-1]]
    types = {json.loads(entry["entry"])[6] for entry in entries}
    assert types >= {"plan_created", "plan_rejected", "session_mode_changed", "tool_call_requested"}
    assert "not on a Sunday" in "".join(entry["content"] for entry in entries)
    refused = next(entry for entry in entries if "decision_refused" in entry["entry"])
    content = json.loads(refused["content"])
    assert (content["reason"], content["selected_option"]) == ("ALREADY_DECIDED", "approve")
    assert content["request_id"]
    assert (plangate.folder / LOG).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in plangate.folder.iterdir()] == [LOG]


def test_the_export_the_file_and_the_gate_agree(plangate: CommandLine, lines: list[str]) -> None:
    """All print the number of entries and the same head; the output can be piped."""
    exported = plangate("audit", "export", "--output", LOG)
    piped = plangate("audit", "export")
    at_gate = plangate("audit", "verify")
    assert head_of(exported) == head_of(at_gate)
    assert exported.out == f"{len(lines) - 2} entries, head {head_of(at_gate)}\n"
    assert offline(plangate)("audit", "verify", LOG) == exported == at_gate
    assert offline(plangate)("audit", "verify", "-", stdin=piped.out.encode()) == exported
    for options in (("verify",), ("verify", LOG)):
        assert plangate("audit", *options, "--head", head_of(at_gate)) == exported


def test_an_export_altered_by_hand(plangate: CommandLine, lines: list[str]) -> None:
    """The first entry that was altered, removed or moved is named, with its line, and the exit code is 1."""
    altered = [line.replace("plan_rejected", "plan_approved") for line in lines]
    number = next(place for place, line in enumerate(lines) if "plan_rejected" in line)
    assert verified(plangate, altered).complaint == (
        f"other.jsonl: line {number + 1}: entry {number} was altered, "
        f"or is not the one that followed entry {number - 1}"
    )
    altered = [line.replace("not on a Sunday", "gladly") for line in lines]
    said = verified(plangate, altered).complaint
    assert said == f"other.jsonl: line {number + 1}: the content of entry {number} was altered"
    said = verified(plangate, [*lines[:3], *lines[4:]]).complaint
    assert said == "other.jsonl: line 4: entry 3 is missing: entry 4 follows entry 2"
    said = verified(plangate, [*lines[:2], lines[3], lines[2], *lines[4:]]).complaint
    assert said == "other.jsonl: line 3: entry 2 is missing: entry 3 follows entry 1"
    said = verified(plangate, [*lines[:4], *lines[3:]]).complaint
    assert said == "other.jsonl: line 5: entry 4 is missing: entry 3 comes again after entry 3"


def test_a_refusal_altered_by_hand(plangate: CommandLine, lines: list[str]) -> None:
    """Who hides that they tried is found out: by altering, removing, inserting or moving the entry."""
    place = next(place for place, line in enumerate(lines) if "decision_refused" in line)
    before, refused, after = lines[:place], lines[place], lines[place + 1 :]
    altered = [line.replace("decision_refused", "plan_approved") for line in lines]
    content = refused.replace("ALREADY_DECIDED", "STALE_REVISION")
    number = f"other.jsonl: line {place + 1}: "
    for forged, problem in (
        (altered, f"entry {place} was altered"),
        ([*before, content, *after], f"the content of entry {place} was altered"),
        ([*before, *after], f"entry {place} is missing"),
        ([*before, before[-1], refused, *after], f"entry {place} is missing"),
        ([*before, after[0], refused, *after[1:]], f"entry {place} is missing"),
    ):
        assert verified(plangate, forged).complaint.startswith(number + problem)


def test_an_export_that_was_cut_off(plangate: CommandLine, lines: list[str]) -> None:
    """It lacks its last line."""
    said = verified(plangate, lines[:4]).complaint
    assert said == "other.jsonl: the export was cut off: line 4, entry 3, is the last there is"


def test_a_saved_head_that_is_not_in_the_log(plangate: CommandLine, lines: list[str]) -> None:
    """A log that is shorter, or another, is found out, by the gate as in a file."""
    for options in (("verify",), ("verify", LOG)):
        said = plangate("audit", *options, "--head", SOME_HEAD).complaint
        assert said.endswith("entry 3 is not the one whose hash was saved")
        said = plangate("audit", *options, "--head", f"100{SOME_HEAD}").complaint
        due = len(lines) - 1
        assert said.endswith(
            f"entry {due} is missing: the log ends at entry {due - 1}, and entry 1003 was saved"
        )


def test_an_empty_log(tmp_path: Path) -> None:
    """It is exported, holds, and has a head like any other."""
    with gate_process(tmp_path) as address:
        plangate = CommandLine(address, tmp_path)
        assert plangate("audit", "export", "--output", LOG) == Done(0, "0 entries, head 0:\n", "")
        assert plangate("audit", "verify", "--head", "0:") == Done(0, "0 entries, head 0:\n", "")
    assert plangate("audit", "verify", LOG, "--head", "0:") == Done(0, "0 entries, head 0:\n", "")
    assert "entry 1 is missing" in plangate("audit", "verify", LOG, "--head", SOME_HEAD).complaint


def test_retention_leaves_a_log_that_holds(stopped: Stopped, tmp_path: Path) -> None:
    """After content was removed the whole chain is exported, holds, and has the head that was saved."""
    stopped.copy_to(tmp_path)
    forget(tmp_path)
    head = stopped.head
    old = int(head.partition(":")[0])
    with gate_process(tmp_path) as address:
        fill_log(address, "another session")
        plangate = CommandLine(address, tmp_path)
        at_gate = plangate("audit", "verify", "--head", head)
        exported = plangate("audit", "export", "--output", LOG)
    assert plangate("audit", "verify", LOG, "--head", head) == exported
    assert exported.out == f"{2 * old} entries, {old} without content, head {head_of(at_gate)}\n"
    lines = (tmp_path / LOG).read_text(encoding="ascii").splitlines()
    contents = [json.loads(line)["content"] for line in lines[1:-1]]
    assert contents[:old] == [None] * old
    assert None not in contents[old:]


TAMPERING = {
    "UPDATE events SET actor = 'mallory' WHERE sequence = 4": "entry 4 was altered",
    "UPDATE events SET body = x'ff00' WHERE sequence = 4": "the content of entry 4 was altered",
    "UPDATE events SET body = NULL WHERE sequence = 4": "the content of entry 4",
    "DELETE FROM events WHERE sequence = 4": "entry 4 is missing",
    "UPDATE events SET sequence = 40 WHERE sequence = 4": "entry 4 is missing",
    "DELETE FROM events WHERE sequence > 3": "entry 4 is missing",
    inserting(4): "entry 4 was altered",
    swapping(4): "entry 4 was altered",
    "UPDATE events SET actor = 'mallory' WHERE sequence = 6": "entry 6 was altered",
    "DELETE FROM events WHERE sequence = 6": "entry 6 is missing",
    inserting(6): "entry 6 was altered",
    swapping(6): "entry 6 was altered",
}
"""Entry 6 is a refused decision."""


@pytest.mark.parametrize("statement", TAMPERING)
def test_a_database_that_was_tampered_with(stopped: Stopped, tmp_path: Path, statement: str) -> None:
    """The gate still exports what is there; it and the file name the same entry, given a saved head."""
    stopped.copy_to(tmp_path)
    tamper(tmp_path / "plangate.db", statement)
    with gate_process(tmp_path) as address:
        plangate = CommandLine(address, tmp_path)
        assert TAMPERING[statement] in plangate("audit", "verify").complaint
        assert plangate("audit", "export", "--output", LOG).code == 0
    assert TAMPERING[statement] in plangate("audit", "verify", LOG, "--head", stopped.head).complaint


def test_the_largest_entry_there_can_be(tmp_path: Path) -> None:
    """A draft that is six times as large in the log as it was, and more than gRPC takes by default."""
    text = "\x01" * (DEFAULTS.plan_bytes - 100)
    with gate_process(tmp_path) as address:
        with grpc.insecure_channel(address) as channel:
            draft = DraftPlanRequest(args=CreatePlanArgs(plan=text))
            PlanServiceStub(admin(channel)).DraftPlan(iter([draft]))
        plangate = CommandLine(address, tmp_path)
        exported = plangate("audit", "export", "--output", LOG)
    assert head_of(exported).startswith("1:")
    assert plangate("audit", "verify", LOG) == exported
    assert (tmp_path / LOG).stat().st_size > 6 * len(text)


@pytest.mark.parametrize("path", ["nowhere/audit.jsonl", "folder", "/dev/null"])
def test_where_nothing_can_be_written(plangate: CommandLine, path: str) -> None:
    """The path and the problem are named, and nothing is left behind or replaced."""
    (plangate.folder / "folder").mkdir()
    assert plangate("audit", "export", "--output", path).complaint.startswith(f"{path} cannot be written: ")
    assert [each.name for each in plangate.folder.iterdir()] == ["folder"]
    assert not Path("/dev/null").is_file()


def test_an_export_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    """A file is there whole or as it was before."""
    (tmp_path / LOG).write_text("the old one", encoding="utf-8")
    assert (
        "no gate answers"
        in CommandLine("127.0.0.1:1", tmp_path)("audit", "export", "--output", LOG).complaint
    )
    assert (tmp_path / LOG).read_text(encoding="utf-8") == "the old one"
    assert [each.name for each in tmp_path.iterdir()] == [LOG]


def test_an_interrupted_export_leaves_nothing(tmp_path: Path) -> None:
    """Nor does Ctrl-C, however long the gate takes to answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        plangate = CommandLine(f"127.0.0.1:{silent.getsockname()[1]}", tmp_path)
        with plangate.started("audit", "export", "--output", LOG, main=PATIENT) as exporting:
            look_until(lambda: bool(list(tmp_path.iterdir())))
            exporting.process.send_signal(signal.SIGINT)
            assert exporting.done().code == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl cannot be read: No such file or directory"),
        (("--head", "7"), "--head '7' is not SEQUENCE:HASH, with 64 hexadecimal digits"),
        ((), "no gate answers at 127.0.0.1:1: start one with 'plangate serve', or set PLANGATE_TARGET"),
    ],
)
def test_what_could_not_be_checked(tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    """It is told apart from a log that does not hold: the exit code is 2."""
    done = CommandLine("127.0.0.1:1", tmp_path)("audit", "verify", *arguments)
    assert done == Done(2, "", f"plangate: {problem}\n")


def test_a_hostile_export_cannot_act_on_the_terminal(plangate: CommandLine) -> None:
    """What a complaint quotes from a file is written out."""
    header = {"format": "plangate-audit", "version": "\x1b[31m", "workspace": "", "time": ""}
    done = verified(plangate, [json.dumps(header, separators=(",", ":")) + "\n"])
    assert done.complaint.isprintable()


def test_the_exit_codes_are_documented(plangate: CommandLine) -> None:
    """`--help` says what a script can rely on."""
    said = " ".join(plangate("audit", "verify", "--help").out.split())
    assert "Exits with 0 if the log holds, 1 if it does not" in said
    assert "2 if it could not be checked" in said
    assert "Exits with 0" in " ".join(plangate("audit", "export", "--help").out.split())
