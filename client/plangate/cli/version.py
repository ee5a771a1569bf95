"""``plangate version``."""

from __future__ import annotations

import argparse
from importlib.metadata import version


def arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(given: argparse.Namespace) -> int:
    print(version("plangate"))
    return 0
