"""Records docs/recorded/first-review.txt: a plan from its proposal to the end of its build.

python -m tools.record_session           write it
python -m tools.record_session --check   say whether the commands still print the same, exit 1 if not

What is different each time (ids, hashes, waiting times) is replaced by something of the same width.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.helpers.command_line import CommandLine
from tests.helpers.gate_process import gate_process
from tests.helpers.terminal import at_terminal

RECORD = Path(__file__).resolve().parent.parent / "docs" / "recorded" / "first-review.txt"
PLAN = """\
---
name: Move the cache
overview: Pages are slow since the cache is on the other machine
todos:
  - id: measure
    content: Measure how often it is missed
  - id: move
    content: Move it here
    dependencies:
      - measure
  - id: tidy
    content: Remove the old one
    dependencies:
      - move
---

# Move the cache

Measure first. If it is missed less than once in ten reads, stop and say so.
"""
VARIABLES = {"COLUMNS": "96"}
WORK = """plangate build run move -- sh -c 'echo "working on $PLANGATE_TODO_ID"'"""
VARYING = (
    (re.compile(r"[^\n]*\r\x1b\[K"), ""),  # what was erased again
    (re.compile(r"(?<=plans/)[0-9a-f]{32}"), "0" * 24 + "0123abcd"),
    (re.compile(r"(?<=cache_)[0-9a-f]{8}|^[0-9a-f]{8}(?=  )", re.MULTILINE), "0123abcd"),
    # The gate notes by itself, and a moment later, that the decision was delivered.
    (re.compile(r"\d+ entries, head \d+:[0-9a-f]{64}"), f"12 entries, head 12:{'0123abcd' * 8}"),
    (re.compile(r"\b\d+ (?:s|min)\b"), "8 s"),
)


def recorded() -> Iterator[str]:
    """Three terminals: the agent's, where it waits; the person's; and the agent's again."""
    with tempfile.TemporaryDirectory(prefix="plangate-record-") as name:
        folder = Path(name)
        os.environ.update(PLANGATE_TOKEN_DIR=str(folder / "tokens"), LOGNAME="ada")
        (folder / "cache.plan.md").write_text(PLAN, encoding="utf-8")
        with ExitStack() as stack:
            plangate = CommandLine(stack.enter_context(gate_process(folder)), folder, VARIABLES)
            propose = "plangate propose cache.plan.md --wait"
            agent = stack.enter_context(at_terminal(plangate, *shlex.split(propose)[1:]))
            agent.wait_for_line("plangate://")
            yield "# In one terminal, the agent proposes a plan file and waits.\n"
            yield f"$ {propose}\n{agent.screen}"
            yield "\n# In another, a person sees what waits, reads it, and says yes.\n"
            yield _typed(plangate, "plangate pending")
            yield _typed(plangate, "plangate approve move", answer=("[y/N] ", "y\n"))
            before = len(agent.screen)
            assert agent.exit_code() == 0, agent.screen
            yield "\n# The agent has the decision, and builds what was approved.\n"
            yield agent.screen[before:]
            yield _typed(plangate, "plangate todos move")
            yield _typed(plangate, WORK)
            yield _typed(plangate, "plangate todos move")
            yield "\n# What happened is in the log, which nobody altered.\n"
            yield _typed(plangate, "plangate audit verify")


def _typed(plangate: CommandLine, command: str, answer: tuple[str, str] | None = None) -> str:
    """The command, and the screen after it."""
    with at_terminal(plangate, *shlex.split(command)[1:]) as terminal:
        if answer:
            terminal.wait_for(answer[0])
            terminal.type(answer[1])
        assert terminal.exit_code() == 0, terminal.screen
        return f"$ {command}\n{terminal.screen}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    text = "".join(recorded())
    for pattern, stand_in in VARYING:
        text = pattern.sub(stand_in, text)
    if not given.check:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(text, encoding="utf-8")
        return 0
    before = RECORD.read_text(encoding="utf-8")
    print(
        *difflib.unified_diff(before.splitlines(), text.splitlines(), "recorded", "now", lineterm=""),
        sep="\n",
    )
    return 0 if text == before else 1


if __name__ == "__main__":
    sys.exit(main())
