"""The ``plangate`` command. Each subcommand is imported when it runs, so that every one starts fast."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

# Or gRPC's own log lines would stand between ours.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

INTERRUPTED = 130
PIPE_CLOSED = 141
LONGEST_DAYS = 3650
OF_THE_SERVER = ("serve", "policy", "backup")
"""These have command lines of their own."""

Run = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; its exit code is what a script can rely on."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in OF_THE_SERVER:
        return _command(arguments[0])(argparse.Namespace(arguments=arguments[1:]))
    given = _parser().parse_args(arguments)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # At once: there is nothing to clean up, and closing a channel that is just being used can hang.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        return _command(given.command)(given)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED


def _command(name: str) -> Run:
    run: Run = import_module(f"plangate.cli.{name}").run
    return run


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plangate", description="The gate between what an AI agent plans and what it does."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, module: str, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.set_defaults(command=module, name=name)
        return added

    command("serve", "serve", "start the gate")
    command("policy", "policy", "check the operator's policy file, or ask what it says to a call")
    command("backup", "backup", "copy the gate's database to a file, while it runs or not")

    propose = command("propose", "propose", "propose a plan, as an agent would")
    propose.add_argument("file", help="a Markdown file, or - for standard input")
    propose.add_argument("--name", default="", help="what the plan is called")
    propose.add_argument("--todo", action="append", default=[], metavar="TEXT", help="a todo; repeatable")
    propose.add_argument("--agent", default="", metavar="ID", help="the agent that proposes it")
    propose.add_argument(
        "--wait",
        action="store_true",
        help="wait for the decision; exits with 0 if approved (as it is or as edited), 3 rejected, "
        "4 expired, 5 changes requested, 6 anything else",
    )

    command("pending", "pending", "list the plans that wait for a decision")

    _add_plan(command("show", "show", "show a plan"))
    decisions = (
        ("approve", "approve", "approve a plan: its text may be built"),
        ("reject", "reject", "refuse a plan, in words"),
        ("request-changes", "requestChanges", "ask the agent for another revision, in words"),
    )
    for name, option, summary in decisions:
        decide = command(name, "decide", summary)
        decide.set_defaults(option=option)
        _add_plan(decide)
        if option == "approve":
            decide.add_argument(
                "--break-glass",
                metavar="REASON",
                help="as an admin: approve past four_eyes and the number of approvals; the log tells why",
            )
        else:
            decide.add_argument("words", help="what to do differently")
        decide.add_argument(
            "--digest", metavar="HEX", help="decide without being asked, if this is the plan's digest"
        )

    _add_audit(command("audit", "audit_verify", "export the event log, or check that nobody altered it"))

    doctor = command("doctor", "doctor", "find out why it does not work, and what to do")
    doctor.epilog = "Exits with 0 if all is well, 1 otherwise."
    doctor.add_argument(
        "--target", metavar="HOST:PORT", help="the gate (default PLANGATE_TARGET, or where 'serve' listens)"
    )
    doctor.add_argument(
        "--policy", metavar="FILE", help="also check this policy file (default PLANGATE_POLICY)"
    )

    _add_certs(command("certs", "certs", "make a CA and certificates to try TLS with"))

    _add_token(command("token", "token", "make, list and revoke the tokens that callers show"))

    command("version", "version", "print the version")
    return parser


def _add_audit(audit: argparse.ArgumentParser) -> None:
    actions = audit.add_subparsers(metavar="ACTION", required=True)
    summary = "write the whole event log to a file that can be checked anywhere"
    codes = "Exits with 0 if all of it was written, 1 otherwise."
    export = actions.add_parser("export", help=summary, description=summary, epilog=codes)
    export.set_defaults(command="audit_export")
    export.add_argument(
        "--output", metavar="FILE", default="-", help="where to write it (default standard output)"
    )

    summary = "check that no entry of the event log was altered, removed or moved"
    codes = (
        "Prints how many entries there are and the head, SEQUENCE:HASH, to be saved elsewhere. Exits with 0 "
        "if the log holds, 1 if it does not (the first bad entry is named), 2 if it could not be checked."
    )
    verify = actions.add_parser("verify", help=summary, description=summary, epilog=codes)
    verify.set_defaults(command="audit_verify")
    verify.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="an export, or - for standard input; left out, the gate is asked",
    )
    verify.add_argument(
        "--head",
        metavar="SEQUENCE:HASH",
        help="a head saved earlier: finds out if the log was cut off or exchanged since",
    )


def _add_token(token: argparse.ArgumentParser) -> None:
    token.set_defaults(command="token")
    actions = token.add_subparsers(metavar="ACTION", dest="action", required=True)
    summary = "make a token; it is printed on standard output, this once"
    create = actions.add_parser("create", help=summary, description=summary)
    roles = ["agent", "reviewer", "observer", "admin"]
    create.add_argument("--role", choices=roles, required=True, help="what its bearer may do")
    create.add_argument("--name", required=True, help="what is recorded as the doer of what its bearer does")
    create.add_argument("--person", default="", help="the person who answers for it (default the name)")
    create.add_argument(
        "--days", type=_days, default=90, help="how long it holds: a number of days, or forever (default 90)"
    )
    create.add_argument(
        "--certificate", metavar="CN", default="", help="take a client certificate of this name instead"
    )
    summary = "list the tokens that hold"
    listed = actions.add_parser("list", help=summary, description=summary)
    listed.add_argument("--all", action="store_true", help="also those that were revoked or have expired")
    summary = "end a token, and the streams that it opened"
    revoke = actions.add_parser("revoke", help=summary, description=summary)
    revoke.add_argument("token", metavar="TOKEN", help="its id, as 'list' shows it")
    for action in (create, listed, revoke):
        action.add_argument("--workspace", default="", help="of which workspace (default your own)")


def _days(text: str) -> int | None:
    if text == "forever":
        return None
    if not text.isdecimal() or not 0 < int(text) <= LONGEST_DAYS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of days up to {LONGEST_DAYS}, nor forever"
        )
    return int(text)


def _add_certs(certs: argparse.ArgumentParser) -> None:
    certs.epilog = (
        "A CA that is in the folder signs what is missing; nothing is ever overwritten. Prints how to "
        "start the gate and its clients with them. Exits with 0 if everything was made, 1 otherwise."
    )
    certs.add_argument("folder", metavar="DIR", help="where they go; made, if it is not there")
    certs.add_argument(
        "--name",
        metavar="HOST",
        action="append",
        default=[],
        help="a host name or address of the gate, beside localhost, 127.0.0.1 and ::1; repeatable",
    )
    certs.add_argument(
        "--client",
        metavar="NAME",
        action="append",
        default=[],
        help="make a certificate for a client of this name; repeatable",
    )
    certs.add_argument("--days", type=int, default=90, help="how long they are valid (default 90)")


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="its plan_uri, file name, id, or a unique part of them")
