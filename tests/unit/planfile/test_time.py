"""Reading takes time in proportion to the size of a file, whatever is in it."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from plangate.planfile import PlanFileError, read_plan_file
from plangate.planfile.importers import import_plan
from tests.helpers.thread_times import has_ratio

UNITS = {
    "todos": "  - id: a{}\n    content: Do it\n    status: done\n",
    "todos without ids": "  - Do it\n",
    "colons": "  - content: a: b\n",
    "comments": "  # a\n  - content: b # c\n",
    "own keys": "  - content: a\n    own{}: [b, c]\n    # d\n",
    "quotes": '  - content: "a\n      b"\n',
    "dependencies": "  - id: a{}\n    content: b\n    dependencies: [a0, a1, missing]\n",
}
LONG = {
    "spaces": (" ", "a{}b"),
    "hashes": ("#", "a {} b"),
    "colons": (":", "a{} b"),
    "quotes": ("'", "'{}"),
    "backslashes": ("\\\\", '"{}"'),
    "brackets": ("[]", "[a] {}"),
    "lines that go on": ("\n      a", "a{}"),
    "lines in quotes": ("\n      a", '"a{}"'),
    "folded lines": ("\n      a\n\n", ">{}"),
    "flow": ("a, ", "[{}]"),
}


def steps(read: Callable[[], object]) -> int:
    """How many lines of Python run: the same on every machine, and however busy it is."""
    count = 0

    def counting(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += 1
        return counting

    before = sys.gettrace()
    sys.settrace(counting)
    try:
        read()
    finally:
        sys.settrace(before)
    return count


def tried(data: bytes) -> None:
    try:
        read_plan_file(data)
        import_plan(data)
    except PlanFileError:
        return


@pytest.mark.parametrize("name", UNITS)
def test_twice_as_many_entries_take_twice_the_steps(name: str) -> None:
    """No entry is looked at again for each of the others."""

    def a_file(entries: int) -> bytes:
        inside = "".join(UNITS[name].format(number) for number in range(entries))
        return f"---\nname: a\ntodos:\n{inside}---\n\nbody\n".encode()

    few, many = steps(lambda: tried(a_file(100))), steps(lambda: tried(a_file(400)))
    assert many < few * 4.4


@pytest.mark.parametrize("name", LONG)
def test_a_long_text_takes_no_more_steps_than_it_has_lines(name: str) -> None:
    """A text that is four times as long takes at most four times the steps."""
    unit, around = LONG[name]

    def a_file(units: int) -> bytes:
        value = around.replace("{}", unit * units)
        return f"---\nname: a\ntodos:\n  - content: {value}\n---\n\nbody\n".encode()

    few, many = steps(lambda: tried(a_file(200))), steps(lambda: tried(a_file(800)))
    assert many < few * 4.4


@pytest.mark.parametrize("name", LONG)
def test_no_pattern_runs_wild(name: str) -> None:
    """A long run of any sign takes time in proportion: no pattern tries every place again for each."""
    unit, around = LONG[name]

    def reading(characters: int) -> Callable[[], None]:
        value = around.replace("{}", unit * (characters // len(unit)))
        front = f"---\nname: a\ntodos:\n  - content: {value}\n---\n\nbody\n".encode()
        body = f"# {value}\n- [ ] T001 {value}\n".encode()

        def read() -> None:
            tried(front)
            tried(body)

        return read

    # Every place again for each place would take sixteen times as long.
    assert has_ratio(reading(400_000), reading(100_000), most=8)
