"""``plangate audit verify`` without a file: the gate checks its own log."""

from __future__ import annotations

import sys
from argparse import Namespace

from plangate._audit import Head
from plangate._common.text_safety import visible
from plangate.cli._gate import gate
from plangate.cli._text import counted_entries


def ask(given: Namespace, saved: Head | None) -> int:
    with gate(given, exit_code=2) as client:
        found = client.verify_audit(*((saved.sequence, saved.hash) if saved else ()))
    if not found.valid:
        print(f"plangate: {visible(found.problem)}", file=sys.stderr)
        return 1
    print(counted_entries(found.checked, 0, Head(found.head_sequence, found.head_hash)))
    return 0
