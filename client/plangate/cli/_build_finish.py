"""``plangate build finish``."""

from __future__ import annotations

from argparse import Namespace

from plangate._common.text_safety import visible
from plangate.cli._gate import gate
from plangate.cli._json import print_json
from plangate.cli._words import state_of


def run(given: Namespace) -> int:
    with gate(given) as client:
        ended = client.finish_build(given.build, given.summary, failed=given.failed)
    if given.json:
        print_json(ended)
        return 0
    plan = ended.plan
    print(f"{visible(plan.file_name)}: {state_of(plan).text}, {ended.completed} of {ended.total} todos done")
    return 0
