"""``plangate doctor``: why it does not work, and what to do about it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module

from plangate._common.text_safety import visible
from plangate.cli._checks import Finding
from plangate.cli._checks_here import check_packages, check_policy, check_target
from plangate.cli._parsing import add_target

WIDTH = 9


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exits with 0 if all is well, 1 otherwise."
    add_target(parser)
    parser.add_argument(
        "--policy", metavar="FILE", help="also check this policy file (default PLANGATE_POLICY)"
    )


def run(given: argparse.Namespace) -> int:
    well = True
    tick, cross = _marks()
    for finding in _findings(given):
        well = well and finding.good
        mark = tick if finding.good else cross
        print(f"{mark} {finding.about:<{WIDTH}} {visible(finding.said)}", flush=True)
    return 0 if well else 1


def _findings(given: argparse.Namespace) -> Iterator[Finding]:
    """One check after the other; a gate that cannot be reached is not asked any further."""
    packages = check_packages()
    yield packages
    target, found = check_target(given.target)
    yield found
    if packages.good and found.good:
        yield from _check_gate(target)
    yield from check_policy(given.policy)


def _check_gate(target: str) -> Iterator[Finding]:
    # Loaded only now: without gRPC there is still something to say.
    try:
        gate = import_module("plangate.cli._checks_gate")
    except ImportError as error:
        said = f"cannot be loaded ({error}): pip install --force-reinstall plangate"
        yield Finding(False, "gRPC", said)
        return
    yield from gate.check_gate(target)


def _marks() -> tuple[str, str]:
    try:
        "✓✗".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "ok", "NO"
    return "✓", "✗"
