"""``python -m plangate_server.policy_command``: what a policy file says, before any agent hears it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from plangate_server.domain.authorization import Situation, authorize, explain
from plangate_server.domain.calls import call_of, check_names
from plangate_server.domain.errors import InvalidField
from plangate_server.domain.policy import Policy
from plangate_server.domain.remembering import Memory
from plangate_server.domain.sessions import SessionMode
from plangate_server.domain.tools import Access, ToolKind
from plangate_server.policyfile import PolicyProblems, load_policy, summary
from plangate_server.settings import Parser, complain, visible

FILE = "the operator's policy file"


def main(arguments: Sequence[str]) -> int:
    given = parser().parse_args(arguments)
    try:
        policy = load_policy(Path(given.file))
    except PolicyProblems as found:
        complain(found.problems)
        return 1
    if given.action == "check":
        print(f"{visible(given.file)}: {summary(policy)}: fine")
        return 0
    try:
        lines = _answer(policy, given)
    except InvalidField as wrong:
        complain([str(wrong)])
        return 1
    print(*map(visible, lines), sep="\n")
    return 0


def parser() -> argparse.ArgumentParser:
    reader = Parser(prog="plangate policy", description="What a policy file says.")
    actions = reader.add_subparsers(dest="action", metavar="ACTION", required=True)
    said = "tell whether the file is sound, or everything that is wrong with it"
    check = actions.add_parser("check", help=said, description=said)
    check.add_argument("file", metavar="FILE", help=FILE)
    said = "tell what would be said to a tool call, by which rule and why; nothing is done"
    test = actions.add_parser("test", help=said, description=said)
    test.add_argument("file", metavar="FILE", help=FILE)
    test.add_argument("--tool", metavar="NAME", required=True, help="the tool")
    test.add_argument("--command", metavar="TEXT", default="", help="what it would run, or the patch")
    test.add_argument(
        "--path", metavar="PATH", action="append", default=[], help="a path in its arguments; repeatable"
    )
    test.add_argument(
        "--arguments",
        metavar="JSON",
        default="",
        help="its arguments, as a JSON object, in the place of --path",
    )
    test.add_argument("--kind", choices=list(map(str, ToolKind)), help="what sort of call it is")
    test.add_argument("--access", choices=list(map(str, Access)), help="what the agent says the tool does")
    test.add_argument(
        "--mode", choices=list(map(str, SessionMode)), default="agent", help="the session's (default agent)"
    )
    test.add_argument("--role", default="", help="the caller's role")
    test.add_argument("--agent", metavar="ID", default="", help="the agent's id")
    return reader


def _answer(policy: Policy, given: argparse.Namespace) -> list[str]:
    arguments = given.arguments
    if given.path:
        if arguments:
            raise InvalidField("--path", "stands in --arguments, if both are meant: give one of the two")
        arguments = json.dumps({"paths" if len(given.path) > 1 else "path": given.path})
    check_names("--command", given.command)
    check_names("--arguments", arguments)
    call = call_of(
        given.tool,
        given.command,
        arguments,
        kind=ToolKind(given.kind) if given.kind else None,
        access=Access(given.access) if given.access else None,
        agent_id=given.agent,
        role=given.role,
    )
    situation = Situation(call, SessionMode(given.mode), policy, Memory(), datetime.now(UTC))
    verdict = authorize(situation)
    lines = [f"{verdict.result.name} by {verdict.rule}", f"  {verdict.reason}", ""]
    lines.append(f"{call.tool} counts as {policy.access_of(call)}. All rules, in the order of asking:")
    for rule, said in explain(situation):
        name = said.rule if said else rule.name
        answer = f"{said.result.name}: {said.reason}" if said else "does not apply"
        lines.append(f"  {name:<20} {answer}")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
