"""``plangate reject``."""

from __future__ import annotations

import argparse

from plangate.cli._deciding import decide, decision_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    decision_arguments(parser, words=True)


def run(given: argparse.Namespace) -> int:
    return decide(given, "reject", "Reject", words=given.words)
