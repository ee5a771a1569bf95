"""``plangate propose``: what an agent does, from the command line."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Final

from plangate.cli._gate import gate
from plangate.cli._text import visible_lines

EXIT_CODES: Final = {"APPROVED": 0, "REJECTED": 3, "EXPIRED": 4, "CHANGES_REQUESTED": 5}


def run(given: Namespace) -> int:
    try:
        text = sys.stdin.read() if given.file == "-" else Path(given.file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        print(f"plangate: {given.file} cannot be read as text: {error}", file=sys.stderr)
        return 1
    with gate() as client:
        plan = client.create_plan(text, name=given.name, todos=given.todo, agent_id=given.agent)
        print(f"{plan.file_name} is in review\n{plan.plan_uri}", flush=True)
        if not given.wait:
            return 0
        decision = client.wait(plan)
    print(decision.outcome.lower().replace("_", " "), f"by {decision.review.decisions[-1].reviewer}")
    if decision.feedback:
        print(*visible_lines(decision.feedback), sep="\n")
    return EXIT_CODES[decision.outcome]
