"""``plangate propose``: what an agent does, from the command line."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Final

from plangate.cli._gate import gate
from plangate.cli._text import visible, visible_lines

EXIT_CODES: Final = {"APPROVED": 0, "MODIFIED": 0, "REJECTED": 3, "EXPIRED": 4, "CHANGES_REQUESTED": 5}


def run(given: Namespace) -> int:
    try:
        data = sys.stdin.buffer.read() if given.file == "-" else Path(given.file).read_bytes()
        text = data.decode()
        for argument in (given.name, given.agent, *given.todo):
            argument.encode()  # what a shell passes need not be text either
    except (OSError, UnicodeError) as error:
        print(f"plangate: {visible(given.file)} cannot be read as text: {error}", file=sys.stderr)
        return 1
    with gate() as client:
        plan = client.create_plan(text, name=given.name, todos=given.todo, agent_id=given.agent)
        print(f"{visible(plan.file_name)} is in review\n{plan.plan_uri}", flush=True)
        if not given.wait:
            return 0
        decision = client.wait(plan)
    by = [f"by {visible(decision.reviewer)}"] if decision.reviewer else []
    print(decision.outcome.lower().replace("_", " "), *by)
    if decision.feedback:
        print(*visible_lines(decision.feedback), sep="\n")
    return EXIT_CODES.get(decision.outcome, 6)
