"""The policy file of an operator, read whole and at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from plangate_server.domain.policy import Policy
from plangate_server.plainyaml import FileProblems as PolicyProblems
from plangate_server.plainyaml import load_file, parse_file
from plangate_server.policyfile.reader import read_policy

__all__ = ["PolicyProblems", "load_policy", "parse_policy"]


def load_policy(path: Path) -> Policy:
    """The policy in a file, or PolicyProblems."""
    return load_file(path, partial(read_policy, folder=path.parent))


def parse_policy(data: bytes, shown_as: str) -> Policy:
    """The policy in these bytes, or PolicyProblems that name the file as it is shown."""
    return parse_file(data, shown_as, partial(read_policy, folder=Path(shown_as).parent))
