"""The pages that follow from the code tell what the code does."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tables_in_the_docs_are_those_of_the_code() -> None:
    """Errors, API, states, sessions, rules, roles, settings, limits and metrics are printed from the code."""
    command = [sys.executable, "tools/generate_docs.py", "--check"]
    checked = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
