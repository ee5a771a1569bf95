"""Answers that are remembered: what makes two calls the same."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Final

from plangate.testing._fake.messages import copy_of, moment, new_id, now
from plangate.testing._fake.refusals import invalid, not_done
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    ApprovalDecision,
    Remember,
    Remembered,
    RememberScope,
    ResolveApprovalRequest,
    ToolKind,
)

YES: Final = frozenset(
    {ApprovalDecision.APPROVAL_DECISION_APPROVED, ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION}
)
MOST_EXACT: Final = 2**53
_SPECIAL: Final = frozenset(";&|<>()$`\\!*?[]{}#^%'")
"""What some shell takes for more than a character of a word."""
_PLAIN: Final = re.compile(r'(?:(?:"[^"]*"|[^\s"]+)(?: +|$))+')
_NO_PROGRAM: Final = re.compile(r"-|\w+\+?=")
_HOME: Final = re.compile(r"(?<![A-Za-z0-9])~")


def signature(kind: ToolKind.ValueType, command: str) -> str | None:
    """What an answer is remembered by; None if it cannot be."""
    if kind == ToolKind.TOOL_KIND_EDIT:
        return f"sha256:{hashlib.sha256(command.encode()).hexdigest()}"
    return _arguments(command) if kind == ToolKind.TOOL_KIND_MCP else _command(command)


def _command(text: str) -> str | None:
    """The words of one plain command, which no shell could take for anything else."""
    text = text.strip(" ")
    if not _PLAIN.fullmatch(text) or not all(map(_is_plain, text)) or _HOME.search(text):
        return None
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|[^ "]+', text)]
    if not words[0].isascii() or not words[0].strip() or _NO_PROGRAM.match(words[0]):
        return None
    if any(word.startswith(("=", "@")) for word in words):
        return None
    return " ".join(f'"{word}"' if " " in word or not word else word for word in words)


def _is_plain(character: str) -> bool:
    if not character.isascii():
        return character.isalnum()
    return character == " " or (character.isprintable() and character not in _SPECIAL)


def _arguments(text: str) -> str | None:
    """A JSON object in one form, whatever its order and spaces."""
    try:
        arguments = json.loads(
            text or "{}", object_pairs_hook=_unique, parse_float=_number, parse_constant=_refused
        )
    except (ValueError, RecursionError):
        return None
    return json.dumps(arguments, sort_keys=True) if isinstance(arguments, dict) else None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _number(text: str) -> object:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= MOST_EXACT else text


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def to_remember(request: ResolveApprovalRequest, call: Approval, person: str) -> Remembered | None:
    """What is to be kept of an answer, if anything."""
    wanted = _wanted(request)
    if wanted is None:
        return None
    signed = signature(call.kind, call.command)
    if signed is None:
        field = "remember" if request.HasField("remember") else "decision"
        raise invalid(field, "cannot be remembered: the call is compound or cannot be read")
    allows = request.decision in YES
    if wanted.pattern:
        not_done("patterns of calls to remember")
    if not allows and call.kind == ToolKind.TOOL_KIND_TERMINAL:
        not_done("a remembered no to a command, which also covers what only might be the same")
    for_session = wanted.scope == RememberScope.REMEMBER_SCOPE_SESSION
    yes, no = ApprovalDecision.APPROVAL_DECISION_APPROVED, ApprovalDecision.APPROVAL_DECISION_DENIED
    kept = Remembered(
        remembered_id=new_id(),
        kind=call.kind,
        tool_name=call.tool_name,
        signature=signed,
        decision=yes if allows else no,
        scope=wanted.scope,
        session_id=call.session_id if for_session else "",
        reviewer=person,
        create_time=moment(),
    )
    if wanted.HasField("expires_after"):
        kept.expire_time.FromDatetime(now() + wanted.expires_after.ToTimedelta())
    return kept


def _wanted(request: ResolveApprovalRequest) -> Remember | None:
    session = RememberScope.REMEMBER_SCOPE_SESSION
    for_session = request.decision == ApprovalDecision.APPROVAL_DECISION_APPROVED_FOR_SESSION
    if not request.HasField("remember"):
        return Remember(scope=session) if for_session else None
    if not request.remember.scope:
        raise invalid("remember.scope", "is empty: say how far it reaches")
    if for_session and request.remember.scope != session:
        raise invalid("remember.scope", "reaches further than the session: send APPROVED instead")
    return copy_of(request.remember)


def covering(
    memory: Iterable[Remembered], session_id: str, call: Approval, texts: Iterable[str], *, allows: bool
) -> Remembered | None:
    """The answer of that sort that covers a call; ``texts`` is what else the call says."""
    wanted = (
        ApprovalDecision.APPROVAL_DECISION_APPROVED if allows else ApprovalDecision.APPROVAL_DECISION_DENIED
    )
    others = [text for text in texts if text != call.command]
    for each in memory:
        if (
            each.decision == wanted
            and each.tool_name == call.tool_name
            and each.session_id in {"", session_id}
            and call.kind in {ToolKind.TOOL_KIND_UNSPECIFIED, each.kind}
            and not (others and each.kind == ToolKind.TOOL_KIND_TERMINAL)
            and signature(each.kind, call.command) == each.signature
        ):
            return each
    return None
