"""What is said to an operator: nothing in an argument or a file name may act on the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import NoReturn

from plangate._common.text_safety import visible


class Parser(argparse.ArgumentParser):
    """One that writes out what would act on the terminal: arguments can come from anywhere."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def complain(lines: Iterable[str]) -> None:
    """One line each, on standard error."""
    print(*map(visible, lines), sep="\n", file=sys.stderr)
