"""Answer the very tool call that was shown."""

from __future__ import annotations

import argparse
from datetime import timedelta

from plangate._calls.words import span
from plangate._client import Client
from plangate._common.text_safety import visible
from plangate.cli._asking import for_people, is_yes
from plangate.cli._deciding import check_digest, check_somebody_is_there
from plangate.cli._durations import duration
from plangate.cli._exits import DONE, FAILED
from plangate.cli._gate import CommandError
from plangate.cli._json import print_json
from plangate.cli._tool_calls import answer_of, call_lines
from plangate.cli._words import counted, rounded
from plangate_proto.agent.v1.tool_approval_service_pb2 import (
    Approval,
    Remember,
    RememberScope,
    WatchApprovalsResponse,
)

VERBS = {"approved": "Approve", "denied": "Deny"}
SCOPES = {
    "session": RememberScope.REMEMBER_SCOPE_SESSION,
    "workspace": RememberScope.REMEMBER_SCOPE_WORKSPACE,
}
REACH = {"session": "in this session", "workspace": "in every session of the workspace"}


def answer_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("decision", metavar="ANSWER", choices=[*VERBS], help="approved or denied")
    parser.add_argument("words", metavar="WORDS", nargs="?", default="", help="what to tell the agent")
    parser.add_argument(
        "--digest", metavar="HEX", help="answer without being asked, if this is the call's digest"
    )
    parser.add_argument("--remember", choices=[*SCOPES], help="give the same answer from now on, and where")
    parser.add_argument(
        "--pattern",
        default="",
        help="remember it for calls like this one: * is any one word but an option, ** at the end any more",
    )
    parser.add_argument(
        "--for", dest="until", type=duration, metavar="DURATION", help="remember it so long: 30min, 2h, 3d"
    )


def answer(client: Client, call: Approval, given: argparse.Namespace) -> int:
    remember = _remember(given)
    active = _active(client, call)
    prompt = active.prompt
    if given.digest is None:
        check_somebody_is_there()
        to = for_people(given)
        print(*call_lines(prompt), sep="\n", file=to)
        if active.queue_length > 1:
            print(f"{counted(active.queue_length - 1, 'more call')} of the session after it", file=to)
        if not is_yes(f"{VERBS[given.decision]} this call{_from_now_on(given)}?", to):
            print("nothing was answered", file=to)
            return FAILED
    else:
        check_digest(given.digest, prompt.digest, "the call", "plangate approvals show")
    answered = client.answer(prompt, given.decision, given.words, remember=remember)
    if given.json:
        print_json(answered)
    else:
        print(f"{visible(answered.call_id)}: {visible(answer_of(answered))}")
    return DONE


def _active(client: Client, call: Approval) -> WatchApprovalsResponse:
    """What people are asked in the call's session: what the person looks at is what they answer."""
    active = next(client.prompts(call.session_id))
    if active.prompt.call_id == call.call_id:
        return active
    if not active.HasField("prompt"):
        raise CommandError(f"{call.call_id} no longer waits: see 'plangate approvals list --all'")
    raise CommandError(
        f"{call.call_id} waits behind others: {active.prompt.call_id} is the one to answer now"
    )


def _remember(given: argparse.Namespace) -> Remember | None:
    if given.remember is None:
        if given.pattern or given.until:
            raise CommandError("--pattern and --for say what to remember: give --remember, too")
        return None
    return Remember(scope=SCOPES[given.remember], pattern=given.pattern, expires_after=span(given.until))


def _from_now_on(given: argparse.Namespace) -> str:
    """What the answer reaches beyond the call, so that nobody says yes to more than they know."""
    if given.remember is None:
        return ""
    return f", and {reach(given.remember, given.pattern, given.until)}"


def reach(scope: str, pattern: str, until: timedelta | None) -> str:
    """Which calls an answer is for that is remembered."""
    what = f"every '{visible(pattern)}'" if pattern else "every call that is the same"
    return f"{what} {REACH[scope]}{f' for {rounded(until)}' if until else ''}"
