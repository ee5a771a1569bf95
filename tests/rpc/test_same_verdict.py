"""AuthorizeTool and RequestApproval say the same to the same call, whatever is remembered and ruled."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from google.protobuf.struct_pb2 import Struct
from hypothesis import given
from hypothesis import strategies as st

from plangate_proto.agent.v1.agent_session_service_pb2 import AuthorizeToolRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import RequestApprovalRequest, ToolKind
from plangate_server.domain.identity import Principal, Role
from plangate_server.domain.remembering import Memory, Remembered, Scope
from plangate_server.domain.sessions import SessionMode, begin
from plangate_server.domain.signatures import signature
from plangate_server.domain.tools import ToolKind as Kind
from plangate_server.ports import Gate as Deciding
from plangate_server.ports import World
from plangate_server.rpc.session_requests import approval_of, call_of
from plangate_server.usecases.authorize_tool import judge
from tests.helpers.clock import FrozenClock
from tests.helpers.domain import NOW
from tests.helpers.gate import Gate, open_gate
from tests.helpers.policies import policy_of
from tests.helpers.profiles import examples
from tests.helpers.refusals import refused
from tests.helpers.streams import rest_of
from tests.helpers.tool_calls import EDIT, MCP, NO, PATCH, TERMINAL, YES, call, outcome, remember, tool, verdict

POLICY = """\
tools:
  read: [read_file]
  write: [write_file]
  execute: [bash]
deny:
  - {name: secrets, paths: [".env", "secrets/**"]}
  - {name: force, commands: ["git push --force **"]}
allow:
  - {name: tests, tools: [bash, run], commands: ["pytest **", "npm test"]}
  - {name: docs, tools: [write_file, "mcp__fs__*"], paths: ["docs/**"]}
"""
POLICIES = [policy_of(POLICY), policy_of("trust_agent_access: false"), policy_of("open_programs: [mytool]")]

TOOLS = ["bash", "run", "read_file", "write_file", "mcp__fs__put", "editor", "apply_patch"]
VALUES: list[Any] = ["docs/a.md", "secrets/key", "npm test", "", "x y", True, None, 3, 2.5, ["docs/a.md", "b"]]
NAMES = ["path", "to", "command", "content", "sudo", "docs/a.md", "files", "cwd"]
ARGUMENTS = st.dictionaries(
    st.sampled_from(NAMES),
    st.sampled_from(VALUES) | st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=2),
    max_size=3,
)
TEXTS = ["npm test", "npm test; id", "pytest -q", "git push --force", "mytool x", "rm -rf /", "cat .env", PATCH]
KINDS = {Kind.EDIT: EDIT, Kind.TERMINAL: TERMINAL, Kind.MCP: MCP}

agent = Principal("coder", "default", Role.AGENT, "ada")


@st.composite
def memories(draw: st.DrawFn) -> Remembered:
    kind = draw(st.sampled_from(Kind))
    command = json.dumps(draw(ARGUMENTS)) if kind is Kind.MCP else draw(st.sampled_from(TEXTS))
    signed, is_pattern = signature(kind, command), False
    if signed is None or draw(st.booleans()):
        is_pattern = True
        signed = draw(st.sampled_from(["npm test **", "mytool **", "bash *"])) if kind is Kind.TERMINAL else "*"
    allows = draw(st.booleans())
    tool_name = draw(st.sampled_from(TOOLS))
    return Remembered("r", kind, tool_name, signed, is_pattern, allows, Scope.WORKSPACE, "bob", NOW)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[AuthorizeToolRequest, RequestApprovalRequest]:
    """One call, sent to either method: of a kind that is said, or of the one that it is seen to be."""
    named = {"session_id": "s", "tool_name": draw(st.sampled_from(TOOLS)), "agent_id": "coder"}
    kind = draw(st.sampled_from(Kind))
    if kind is not Kind.MCP:
        text = draw(st.sampled_from([each for each in TEXTS if (each == PATCH) is (kind is Kind.EDIT)]))
        asked = AuthorizeToolRequest(command=text, **named)
        if draw(st.booleans()):
            kind = draw(st.sampled_from([Kind.EDIT, Kind.TERMINAL, Kind.MCP]))
            asked.kind = KINDS[kind]
    else:
        arguments = draw(ARGUMENTS)
        text = json.dumps(arguments, indent=draw(st.sampled_from([None, 2])))
        asked = AuthorizeToolRequest(**named)
        if draw(st.booleans()):
            asked.command = text
        else:
            asked.arguments.CopyFrom(struct(arguments))
    return asked, RequestApprovalRequest(command=text, call_id="c", kind=KINDS[kind], **named)


def struct(values: dict[str, Any]) -> Struct:
    given = Struct()
    given.update(values)
    return given


@examples(800)
@given(pairs(), st.lists(memories(), max_size=3), st.sampled_from(POLICIES), st.sampled_from(SessionMode))
def test_both_methods_say_the_same(
    pair: tuple[AuthorizeToolRequest, RequestApprovalRequest],
    remembered: list[Remembered],
    policy: Any,
    mode: SessionMode,
) -> None:
    """The same verdict by the same rule for the same reason: whatever kind, tool and text the call is of."""
    world = cast(World, SimpleNamespace(policies=SimpleNamespace(current=policy), clock=FrozenClock()))
    session = replaced(begin("default", "s", NOW), mode)
    deciding = Deciding(session, Memory(remembered))
    authorized, asked = pair
    approval = approval_of(asked).approval
    from msgspec.structs import replace

    approval = replace(approval, role=agent.role, person=agent.person)
    assert judge(world, deciding, call_of(authorized, agent)) == judge(world, deciding, approval.call())
