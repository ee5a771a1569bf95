"""Whether a tool may be used: the rules of a gate without a policy file, asked from the top."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from google.protobuf import json_format

from plangate.testing._fake.memory import covering
from plangate.testing._fake.messages import word
from plangate_proto.agent.v1.agent_session_service_pb2 import (
    AuthorizationResult,
    AuthorizeToolRequest,
    SessionMode,
    ToolAccess,
)
from plangate_proto.agent.v1.tool_approval_service_pb2 import Approval, Remembered

Result = AuthorizationResult
READ, WRITE, EXECUTE = (
    ToolAccess.TOOL_ACCESS_READ,
    ToolAccess.TOOL_ACCESS_WRITE,
    ToolAccess.TOOL_ACCESS_EXECUTE,
)
EXECUTING: Final = frozenset(
    {
        *("bash", "sh", "zsh", "shell", "terminal", "powershell", "pwsh", "cmd", "command", "console"),
        *("exec", "execute", "run", "eval", "spawn", "script", "python", "node", "sudo", "deploy", "kill"),
    }
)
WRITING: Final = frozenset(
    {
        *("write", "edit", "create", "delete", "remove", "rm", "move", "mv", "rename", "patch", "apply"),
        *("update", "insert", "append", "replace", "save", "upload", "commit", "push", "mkdir", "chmod"),
    }
)
"""Words in the names of tools that do more than read, whatever their agents say."""
COMMAND_WORDS: Final = ("command", "cmd", "script", "code", "shell", "exec")
"""An argument whose name has one of these in it is taken for something that is run."""


class Verdict(NamedTuple):
    result: Result.ValueType
    rule: str
    reason: str


class Question(NamedTuple):
    """A call, as far as rules look at it."""

    call: Approval
    access: ToolAccess.ValueType
    texts: tuple[str, ...] = ()
    """What else it says."""


def question_of(request: AuthorizeToolRequest) -> Question:
    """An agent wants to know what it may do."""
    arguments = json_format.MessageToDict(request.arguments)
    said = json_format.MessageToJson(request.arguments) if request.HasField("arguments") else ""
    call = Approval(tool_name=request.tool_name, command=request.command or said)
    runs = bool(request.command or any(_commands_in(arguments)))
    believed = request.access and not runs
    access = max(request.access, _sounds_like(request.tool_name)) if believed else EXECUTE
    return Question(call, access, tuple(_texts_in(arguments)))


def verdict(
    mode: SessionMode.ValueType, memory: Iterable[Remembered], session_id: str, asked: Question
) -> Verdict:
    """What the first rule says that applies."""
    call, access = asked.call, asked.access
    if mode == SessionMode.SESSION_MODE_PLAN and access != READ:
        can = word(ToolAccess, access).lower()
        reason = (
            f"the session is in plan mode, which is read only, and {call.tool_name} can {can}: "
            "propose a plan, and wait until it is approved and plan mode is off"
        )
        return Verdict(Result.AUTHORIZATION_RESULT_DENY, "plan_mode", reason)
    memory = list(memory)
    if no := covering(memory, session_id, call, asked.texts, allows=False):
        reason = f"{no.reviewer} said no to calls like this: {no.signature}"
        return Verdict(Result.AUTHORIZATION_RESULT_DENY, f"remembered_deny:{no.remembered_id}", reason)
    if mode == SessionMode.SESSION_MODE_FULL_ACCESS:
        reason = "the session has full access, which a person confirmed"
        return Verdict(Result.AUTHORIZATION_RESULT_ALLOW, "full_access", reason)
    if yes := covering(memory, session_id, call, asked.texts, allows=True):
        reason = f"{yes.reviewer} said yes to calls like this: {yes.signature}"
        return Verdict(Result.AUTHORIZATION_RESULT_ALLOW, f"remembered:{yes.remembered_id}", reason)
    if access == READ:
        return Verdict(Result.AUTHORIZATION_RESULT_ALLOW, "read_only", f"{call.tool_name} only reads")
    reason = "no rule answers it: ask a person (RequestApproval)"
    return Verdict(Result.AUTHORIZATION_RESULT_CONFIRM, "default", reason)


def _sounds_like(tool: str) -> ToolAccess.ValueType:
    """The worst that a word of the name stands for."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", tool)
    words = set(re.split(r"[^a-z0-9]+", apart.casefold()))
    if words & EXECUTING:
        return EXECUTE
    return WRITE if words & WRITING else READ


def _commands_in(arguments: Any) -> Iterator[str]:
    """The texts that stand where a command is expected."""
    if isinstance(arguments, Mapping):
        for name, value in arguments.items():
            is_command = any(each in name.casefold() for each in COMMAND_WORDS)
            yield from _texts_in([value]) if is_command else _commands_in(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from _commands_in(value)


def _texts_in(value: Any) -> Iterator[str]:
    """Every text, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts_in(each)
