"""``make bench`` measures everything that it promises; how fast anything is, is not for a test to say."""

import os
import platform
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TypeAlias

import pytest

from bench import arrivals, chromium
from bench.groups import cost, fairness, load, plan_files, startup, tools
from bench.groups.core import MEASUREMENTS
from bench.growth.databases import KINDS
from bench.measurements import sdk
from bench.measurements.fan_out import FAN_OUT
from bench.parts import Measurement

ROOT = Path(__file__).parents[2]
TINY = "--seconds 0.01 --repeats 1 --watchers 1,3 --idle 5 --growth 20,60 --load 100 --pages 3"
FIGURE = re.compile(r"-?[\d,.]+( to [\d,.]+)?")
Rows: TypeAlias = list[list[str]]


def run(group: str, output: Path) -> dict[str, Rows]:
    """The tables of the group's page, which was printed as well; a plot was made and nothing else is left."""
    with tempfile.TemporaryDirectory(prefix="plangate-test-") as scratch:
        # PostgreSQL does not run as root: whoever runs it must come through.
        Path(scratch).chmod(0o711)
        command = [sys.executable, "-m", "bench", group, *TINY.split(), "--output", str(output)]
        env = {**os.environ, "TMPDIR": scratch}
        done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert list(Path(scratch).iterdir()) == []
    page = (output / f"{group}.md").read_text(encoding="utf-8")
    assert done.stdout == f"{page}\n"
    assert not any(name in page for name in (str(ROOT), str(output), scratch, platform.node()))
    found = tables(page)
    assert {target for target, *_ in found["Targets"]} <= words(output / "plot.svg")
    return found


def tables(page: str) -> dict[str, Rows]:
    """The rows under each heading, without that of the columns' names."""
    found = re.findall(r"^## (.+)\n\n(?:[^|\n].*\n\n)?((?:\|.*\|\n)+)", page, re.MULTILINE)
    return {
        name: [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
        for name, table in found
    }


def words(plot: Path) -> set[str | None]:
    return {element.text for element in ET.parse(plot).iter("{http://www.w3.org/2000/svg}text")}


def expected(measurement: Measurement, callers: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(str(number), contender.name) for number in callers for contender in measurement.contenders]


def assert_figures(rows: Rows, names: int, figures: int) -> None:
    """Every row has so many names and then so many figures."""
    for row in rows:
        assert len(row) == names + figures
        assert all(FIGURE.fullmatch(cell) for cell in row[names:])


def test_the_core_is_measured_on_every_contender(tmp_path: Path) -> None:
    """Every measurement has all its figures for each number of callers and contender."""
    found = run("core", tmp_path)
    for measurement in MEASUREMENTS:
        rows = found[measurement.name]
        assert [(row[0], row[1]) for row in rows] == expected(measurement, measurement.callers)
        assert_figures(rows, names=2, figures=6)
    assert len(found["Targets"]) == sum(len(measurement.goals) for measurement in MEASUREMENTS)
    assert {contender.name for contender in MEASUREMENTS[0].contenders} <= words(tmp_path / "plot.svg")


def test_tool_calls_are_measured_on_every_contender(tmp_path: Path) -> None:
    """The question, the answer by a rule and the answer by a person have all their figures."""
    found = run("tools", tmp_path)
    for measurement in tools.MEASUREMENTS:
        rows = found[measurement.name]
        assert [(row[0], row[1]) for row in rows] == expected(measurement, measurement.callers)
        assert_figures(rows, names=2, figures=6)
    assert len(found["Targets"]) == sum(len(measurement.goals) for measurement in tools.MEASUREMENTS)


def test_the_clients_are_measured_beside_bare_stubs(tmp_path: Path) -> None:
    """Both clients, for a read and for a write, one call after the other."""
    found = run("sdk", tmp_path)
    for measurement in sdk.MEASUREMENTS:
        rows = found[measurement.name]
        assert [(row[0], row[1]) for row in rows] == expected(measurement, measurement.callers)
        assert_figures(rows, names=2, figures=6)
    assert len(found["Targets"]) == sum(len(measurement.goals) for measurement in sdk.MEASUREMENTS)


def test_fan_out_is_measured_with_busy_and_with_idle_watchers(tmp_path: Path) -> None:
    """Deliveries are counted for each number of watchers; idle ones are weighed, and told in the end."""
    found = run("fan-out", tmp_path)
    assert [(row[0], row[1]) for row in found["Fan-out"]] == expected(FAN_OUT, (1, 3))
    assert_figures(found["Fan-out"], names=2, figures=6)
    assert [row[0] for row in found["Idle watchers"]] == [contender.name for contender in FAN_OUT.contenders]
    assert_figures(found["Idle watchers"], names=1, figures=4)


def test_plan_files_are_measured_large_small_and_hostile(tmp_path: Path) -> None:
    """Every kind of file has its times; reading, refusing and importing have a target each."""
    found = run("plan-files", tmp_path)
    assert [row[0] for row in found["Read and written"]] == [*plan_files.FILES]
    assert_figures(found["Read and written"], names=1, figures=5)
    assert [row[0] for row in found["Refused"]] == [*plan_files.HOSTILE]
    assert [row[1] for row in found["Imported"]] == ["100"] * 3
    assert_figures(found["Imported"], names=1, figures=4)
    assert len(found["Targets"]) == 3


def test_how_long_commands_take_to_start_is_measured(tmp_path: Path) -> None:
    """Every command stands beside what Python, gRPC and one bare call take, and has a target."""
    found = run("startup", tmp_path)
    commands = [f"plangate {command}" for command in startup.COMMANDS]
    assert [row[0] for row in found["From start to end"]] == [*startup.FLOORS, *commands]
    assert_figures(found["From start to end"], names=1, figures=3)
    assert len(found["Targets"]) == len(commands)


def test_the_review_page_is_measured_in_a_browser(tmp_path: Path) -> None:
    """A row's way to the screen beside the streams' own, what loads take, and many pages at once."""
    if chromium.program() is None:
        pytest.skip(chromium.MISSING)
    found = run("page", tmp_path)
    way = found["From CreatePlan to the screen"]
    assert [row[0] for row in way] == ["CreatePlan's answer", *arrivals.WATCHERS]
    assert_figures(way, names=1, figures=4)
    assert_figures(found["What a load takes"], names=1, figures=4)
    assert [row[0] for row in found["Very many pages"]] == ["3"]
    assert_figures(found["Very many pages"], names=1, figures=4)
    assert [row[0] for row in found["What others notice of them"]] == ["0", "3"]
    assert_figures(found["What others notice of them"], names=1, figures=5)
    assert len(found["Targets"]) == 4


def test_growth_is_measured_on_every_database(tmp_path: Path) -> None:
    """Every call has its time at each size, and each of them a target."""
    found = run("growth", tmp_path)
    for kind in KINDS:
        assert_figures(found[kind.name], names=1, figures=3)
        assert {row[0] for row in found[kind.name]} > {"CreatePlan", "SubmitReview", "GetPlan", "ListReviews"}
    assert len(found["Targets"]) == sum(len(found[kind.name]) for kind in KINDS)


def test_what_guards_cost_is_measured_on_and_off(tmp_path: Path) -> None:
    """Every measurement has its figures with everything off, and as anyone starts the server."""
    found = run("cost", tmp_path)
    for measurement in cost.MEASUREMENTS:
        rows = found[measurement.name]
        assert [(row[0], row[1]) for row in rows] == expected(measurement, measurement.callers)
        assert_figures(rows, names=2, figures=6)
    assert len(found["Targets"]) == len(cost.MEASUREMENTS)


def test_floods_are_measured_before_and_after(tmp_path: Path) -> None:
    """What others notice of each flood, and what it leaves behind."""
    found = run("load", tmp_path)
    times = ("before", "during", "after")
    names = list(load.NAMES.values())
    assert [row[:2] for row in found["What others notice"]] == [[n, when] for n in names for when in times]
    assert_figures(found["What others notice"], names=2, figures=5)
    assert [row[0] for row in found["What is left behind"]] == names
    assert_figures(found["What is left behind"], names=1, figures=8)
    assert len(found["Targets"]) == 2 * len(names)


def test_what_a_flood_costs_the_others_is_measured(tmp_path: Path) -> None:
    """Before each flood, and during it."""
    found = run("fairness", tmp_path)
    rows = found["What others notice"]
    names = list(fairness.NAMES.values())
    assert [row[0].partition(" ")[2] for row in rows] == [name for name in names for _ in range(2)]
    assert [row[1] for row in rows] == ["quiet", "during"] * len(names)
    assert_figures(rows, names=2, figures=5)
    assert len(found["Targets"]) == 2 * len(names)
