"""`plangate remembered`: answers that are given again without asking, and how to end that."""

import json
import re

import pytest
from google.protobuf.json_format import MessageToJson
from google.protobuf.timestamp_pb2 import Timestamp

from plangate import Client
from plangate.cli.remembered import row_of
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    Remembered,
    RememberScope,
    RestoreMemoryRequest,
    ToolKind,
)
from tests.helpers.asking import ask_for, new_session
from tests.helpers.command_line import CommandLine, Done


@pytest.fixture
def session() -> str:
    return new_session()


def remember(plangate: CommandLine, client: Client, session: str, *options: str) -> Remembered:
    """A person answers a call and has it remembered."""
    call_id = ask_for(client, session, "make test", f"tool-of-{session}")
    (call,) = client.tool_calls(session_id=session)
    done = plangate("approvals", "answer", call_id, "approved", "--digest", call.digest, *options)
    assert (done.code, done.err) == (0, "")
    (found,) = (each for each in client.remembered(session) if each.tool_name == call.tool_name)
    return found


def test_what_is_remembered_is_a_table(plangate: CommandLine, client: Client, session: str) -> None:
    """Which answer, to which calls of which tool, where, by whom and until when."""
    exact = remember(plangate, client, session, "--remember", "session")
    other = new_session()
    like = remember(plangate, client, other, "--remember", "workspace", "--pattern", "make *", "--for", "2h")
    rows = [re.split(r" {2,}", line) for line in plangate("remembered").out.splitlines()]
    assert rows[0] == ["ID", "ANSWER", "TOOL", "TO", "WHERE", "BY", "UNTIL"]
    assert [
        exact.remembered_id[-8:],
        "approved",
        f"tool-of-{session}",
        "make test",
        f"session {session}",
        "ada",
        "forgotten",
    ] in rows
    (found,) = (row for row in rows if row[0] == like.remembered_id[-8:])
    assert found[3:6] == ["make * (pattern)", "workspace", "ada"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", found[6])


def test_forgetting_one(plangate: CommandLine, client: Client, session: str) -> None:
    """By the short id that the list shows; from then on, people are asked again."""
    kept = remember(plangate, client, session, "--remember", "session")
    assert client.authorize_tool(session, kept.tool_name, command="make test").allowed
    done = plangate("remembered", "forget", kept.remembered_id[-8:])
    assert done == Done(0, f"forgotten: approved to {kept.tool_name} make test\n", "")
    assert client.authorize_tool(session, kept.tool_name, command="make test").must_ask


def test_forgetting_what_is_not_there(plangate: CommandLine) -> None:
    """The complaint says where to look."""
    complaint = plangate("remembered", "forget", "nothing").complaint
    assert complaint == "no answer fits 'nothing': see 'plangate remembered'"


def test_resetting_a_session(plangate: CommandLine, client: Client, session: str) -> None:
    """What was remembered for it is gone, and so is its full access; other sessions keep theirs."""
    remember(plangate, client, session, "--remember", "session")
    other = new_session()
    kept = remember(plangate, client, other, "--remember", "session")
    plangate("mode", session, "full-access", "--confirm")
    assert plangate("remembered", "reset", "--session", session) == Done(0, "1 answer forgotten\n", "")
    assert plangate("mode", session).out == f"{session}: agent\n"
    assert [each.remembered_id for each in client.remembered(other)].count(kept.remembered_id) == 1


def test_json(plangate: CommandLine, client: Client, session: str) -> None:
    """An array of all, the one that was forgotten, or how many were."""
    kept = remember(plangate, client, session, "--remember", "session")
    listed = json.loads(plangate("remembered", "--session", session, "--json").out)
    assert kept.remembered_id in [each["rememberedId"] for each in listed]
    forgotten = plangate("remembered", "forget", kept.remembered_id, "--json")
    assert json.loads(forgotten.out)["rememberedId"] == kept.remembered_id
    remember(plangate, client, session, "--remember", "session")
    assert json.loads(plangate("remembered", "reset", "--session", session, "--json").out) == {"cleared": 1}


def test_an_export_is_restored(plangate: CommandLine, client: Client, session: str) -> None:
    """What was forgotten is asked about no more; what is remembered already is left out, and told."""
    kept = remember(plangate, client, session, "--remember", "session")
    exported = plangate("remembered", "export")
    (plangate.folder / "memory.json").write_text(exported.out, encoding="utf-8")
    plangate("remembered", "forget", kept.remembered_id)
    assert client.authorize_tool(session, kept.tool_name, command="make test").must_ask
    looked = plangate("remembered", "restore", "memory.json", "--dry-run")
    assert (looked.code, looked.out.splitlines()[-1]) == (0, "1 answer would be restored")
    assert client.authorize_tool(session, kept.tool_name, command="make test").must_ask
    done = plangate("remembered", "restore", "memory.json")
    assert (done.code, done.out.splitlines()[-1]) == (0, "1 answer restored")
    assert client.authorize_tool(session, kept.tool_name, command="make test").allowed
    again = plangate("remembered", "restore", "-", stdin=exported.out.encode())
    assert f"left out: {kept.tool_name} make test: it is remembered already" in again.out.splitlines()
    assert again.out.splitlines()[-1] == "0 answers restored"


def test_a_long_export_is_restored_in_parts(plangate: CommandLine, client: Client) -> None:
    """More than one call takes; with --json, places are those of the whole file, whose bad ones stop all."""
    unknown = new_session()
    answers = [
        Remembered(
            kind=ToolKind.TOOL_KIND_TERMINAL,
            tool_name="bash",
            signature=f"make {number}",
            decision=ApprovalDecision.APPROVAL_DECISION_APPROVED,
            scope=RememberScope.REMEMBER_SCOPE_SESSION,
            session_id=unknown,
            reviewer="ada",
            create_time=Timestamp(seconds=1),
        )
        for number in range(250)
    ]
    data = MessageToJson(RestoreMemoryRequest(remembered=answers)).encode()
    done = json.loads(plangate("remembered", "restore", "-", "--json", stdin=data).out)
    assert [left.get("place", 0) for left in done["leftOut"]] == list(range(250))
    assert {left["obstacle"] for left in done["leftOut"]} == {"RESTORE_OBSTACLE_SESSION_NOT_FOUND"}
    client.set_mode(unknown, "agent")
    answers[249].tool_name = ""
    data = MessageToJson(RestoreMemoryRequest(remembered=answers)).encode()
    refused = plangate("remembered", "restore", "-", stdin=data)
    assert refused.complaint.startswith("in the answers from place 200 on: remembered[49].tool_name")
    assert [each for each in client.remembered(unknown) if each.session_id] == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"colour": "red"}', '{"remembered": [{"kind": "EDITH"}]}', "\xff"]
)
def test_what_is_no_export(plangate: CommandLine, text: str) -> None:
    """It is said, and nothing is restored."""
    (plangate.folder / "memory.json").write_text(text, encoding="latin-1")
    complaint = plangate("remembered", "restore", "memory.json").complaint
    assert complaint.startswith("memory.json is no export of what is remembered")


def test_what_answers_nothing_any_more_is_told_with_the_reason() -> None:
    """A pattern that the gate refuses by now stands in the table with the gate's words."""
    gone = Remembered(signature="mytool **", is_pattern=True, refusal="has a wildcard after mytool")
    assert "mytool ** (pattern): answers nothing any more: it has a wildcard after mytool" in row_of(gone)
