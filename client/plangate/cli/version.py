"""``plangate version``."""

from __future__ import annotations

from argparse import Namespace
from importlib.metadata import version


def run(given: Namespace) -> int:
    print(version("plangate"))
    return 0
