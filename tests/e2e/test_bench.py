"""``make bench`` measures everything that it promises; how fast anything is, is not for a test to say."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from bench.measurements import MEASUREMENTS

ROOT = Path(__file__).parents[2]


def measured(text: str) -> list[tuple[str, str, str]]:
    """Measurement, callers and contender of every row whose figures are all there."""
    rows = []
    for name, table in re.findall(r"^## (.+)\n\n.+\n\n((?:\|.*\|\n)+)", text, re.MULTILINE):
        for line in table.splitlines()[2:]:
            callers, contender, *figures = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(figures) == 6
            assert all(re.fullmatch(r"[\d,.]+( to [\d,.]+)?", figure) for figure in figures)
            rows.append((name, callers, contender))
    return rows


def test_the_bench_measures_everything_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Every row is printed and kept, nothing names the machine, and no file of a server is left."""
    scratch, output = tmp_path / "scratch", tmp_path / "output"
    scratch.mkdir()
    command = [sys.executable, "-m", "bench", "--seconds", "0.01", "--repeats", "1", "--output", str(output)]
    env = {**os.environ, "TMPDIR": str(scratch)}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kept = (output / "core.md").read_text(encoding="utf-8")
    assert kept == done.stdout.removesuffix("\n")
    assert measured(kept) == [
        (measurement.name, str(callers), contender.name)
        for measurement in MEASUREMENTS
        for callers in measurement.callers
        for contender in measurement.contenders
    ]
    assert not any(name in kept for name in (str(ROOT), str(tmp_path), platform.node()))
    assert list(scratch.iterdir()) == []
