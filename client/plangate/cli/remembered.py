"""``plangate remembered list|forget|reset|export|restore``: answers that are given again without asking."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

from plangate._calls.words import word_of
from plangate._client import Client
from plangate._common.text_safety import visible
from plangate.cli._finding import closest
from plangate.cli._gate import CommandError, gate
from plangate.cli._json import print_json, print_json_list
from plangate.cli._memory_file import in_parts, read_memory
from plangate.cli._parsing import add_actions, add_json, add_target
from plangate.cli._tables import Cell, Row, print_table
from plangate.cli._words import clock, counted, spoken
from plangate.errors import InvalidRequest
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    ApprovalDecision,
    Remembered,
    RememberScope,
    ResetMemoryResponse,
    RestoreMemoryRequest,
    RestoreMemoryResponse,
    RestoreObstacle,
)

WHY: Mapping[RestoreObstacle.ValueType, str] = {
    RestoreObstacle.RESTORE_OBSTACLE_EXPIRED: "it has run out of time",
    RestoreObstacle.RESTORE_OBSTACLE_ALREADY_REMEMBERED: "it is remembered already",
    RestoreObstacle.RESTORE_OBSTACLE_DECIDED_OTHERWISE: "the other answer is remembered by now",
    RestoreObstacle.RESTORE_OBSTACLE_SESSION_NOT_FOUND: "the gate does not have its session",
    RestoreObstacle.RESTORE_OBSTACLE_NOT_READABLE: "the gate does not remember by such words any more",
}
HEADINGS = ("ID", "ANSWER", "TOOL", "TO", "WHERE", "BY", "UNTIL")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = add_actions(
        parser,
        {
            "list": "list what is remembered, the oldest first",
            "forget": "ask again from now on about what one answer covers",
            "reset": "forget all of it, and take full access back",
            "export": "write all that is remembered to standard output, as JSON to restore it from",
            "restore": "have remembered again what an export holds, as far as nothing new speaks against it",
        },
        otherwise="list",
    )
    actions["list"].add_argument("--session", default="", metavar="ID", help="only what reaches this session")
    actions["forget"].add_argument("remembered", metavar="ID", help="its id, as 'list' shows it")
    reach = actions["reset"].add_mutually_exclusive_group(required=True)
    reach.add_argument("--session", default="", metavar="ID", help="of this session")
    reach.add_argument("--workspace", action="store_true", help="of every session of the workspace")
    actions["restore"].add_argument("file", metavar="FILE", help="what 'export' wrote, or - for a pipe")
    actions["restore"].add_argument("--dry-run", action="store_true", help="only say what would be restored")
    for name, action in actions.items():
        if name != "export":
            add_json(action)
        add_target(action)


def run(given: argparse.Namespace) -> int:
    with gate(given) as client:
        ACTIONS[given.action](client, given)
    return 0


def _list(client: Client, given: argparse.Namespace) -> None:
    answers = list(client.remembered(given.session))
    if given.json:
        print_json_list(answers)
    elif answers:
        print_table(HEADINGS, [row_of(answer) for answer in answers])
    else:
        print("nothing is remembered")


def _forget(client: Client, given: argparse.Namespace) -> None:
    match closest(client.remembered(), given.remembered, lambda each: (each.remembered_id, _short(each))):
        case [answer]:
            forgotten = client.forget(answer)
        case found:
            fit = f"{len(found)} answers fit" if found else "no answer fits"
            raise CommandError(f"{fit} {given.remembered!r}: see 'plangate remembered'")
    if given.json:
        print_json(forgotten)
    else:
        what = f"{visible(forgotten.tool_name)} {visible(forgotten.signature)}"
        print(f"forgotten: {_answer(forgotten)} to {what}")


def _reset(client: Client, given: argparse.Namespace) -> None:
    if given.workspace:
        cleared = client.reset_memory("workspace_change")
    else:
        cleared = client.reset_memory("session_restart", given.session)
    if given.json:
        print_json(ResetMemoryResponse(cleared=cleared))
    else:
        print(f"{counted(cleared, 'answer')} forgotten")


def _export(client: Client, _: argparse.Namespace) -> None:
    print_json(RestoreMemoryRequest(remembered=client.remembered()))


def _restore(client: Client, given: argparse.Namespace) -> None:
    """All of it is checked before any of it is written."""
    parts = list(in_parts(read_memory(given.file)))
    done = _restored(client, parts, validate_only=True)
    if not given.dry_run:
        done = _restored(client, parts)
    if given.json:
        print_json(_together(parts, done))
        return
    for part, response in zip(parts, done, strict=True):
        for left in response.left_out:
            answer = part[left.place]
            why = WHY.get(left.obstacle, "the gate says no more")
            print(f"left out: {visible(f'{answer.tool_name} {answer.signature}')}: {why}")
    restored = sum(len(response.restored) for response in done)
    print(f"{counted(restored, 'answer')} {'would be restored' if given.dry_run else 'restored'}")


def _restored(
    client: Client, parts: Sequence[Sequence[Remembered]], *, validate_only: bool = False
) -> list[RestoreMemoryResponse]:
    done = []
    place = 0
    for part in parts:
        try:
            done.append(client.restore_memory(part, validate_only=validate_only))
        except InvalidRequest as refused:
            if not place:
                raise
            raise CommandError(f"in the answers from place {place} on: {refused.words}") from None
        place += len(part)
    return done


def _together(
    parts: Sequence[Sequence[Remembered]], done: Sequence[RestoreMemoryResponse]
) -> RestoreMemoryResponse:
    """As if one call had restored all of it."""
    whole = RestoreMemoryResponse()
    before = 0
    for part, response in zip(parts, done, strict=True):
        whole.restored.extend(response.restored)
        for left in response.left_out:
            whole.left_out.add(place=before + left.place, obstacle=left.obstacle)
        before += len(part)
    return whole


ACTIONS: Mapping[str, Callable[[Client, argparse.Namespace], None]] = {
    "list": _list,
    "forget": _forget,
    "reset": _reset,
    "export": _export,
    "restore": _restore,
}


def row_of(answer: Remembered) -> Row:
    everywhere = answer.scope == RememberScope.REMEMBER_SCOPE_WORKSPACE
    like = f"{answer.signature} (pattern)" if answer.is_pattern else answer.signature
    if answer.refusal:
        like = f"{like}: answers nothing any more: it {answer.refusal}"
    until = clock(answer.expire_time) if answer.HasField("expire_time") else "forgotten"
    where = "workspace" if everywhere else f"session {answer.session_id}"
    return (_short(answer), Cell(_answer(answer)), answer.tool_name, like, where, answer.reviewer, until)


def _answer(answer: Remembered) -> str:
    return spoken(word_of(ApprovalDecision, "APPROVAL_DECISION_", answer.decision))


def _short(answer: Remembered) -> str:
    return answer.remembered_id[-8:]
