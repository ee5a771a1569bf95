"""``plangate approve``."""

from __future__ import annotations

import argparse

from plangate.cli._deciding import decide, decision_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    decision_arguments(parser, words=False)
    parser.add_argument(
        "--break-glass",
        metavar="REASON",
        type=_reason,
        help="as an admin: approve past four_eyes and the number of approvals; the log tells why",
    )


def run(given: argparse.Namespace) -> int:
    return decide(given, "approve", "Approve", glass=given.break_glass or "")


def _reason(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is blank: say why, for everybody to read")
    return text
