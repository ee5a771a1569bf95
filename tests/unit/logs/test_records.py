"""What the server, libraries and Python itself report comes out one way, and without what it was about."""

import asyncio
import gc
import json
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from plangate_server.logs import Level, Log, log_stray_faults, logging_to
from tests.helpers.conditions import PATIENCE

CANARY = "hunter2"
LIBRARY = logging.getLogger("library.part")


class Lines(list[bytes]):
    def read(self) -> list[dict[str, Any]]:
        assert CANARY.encode() not in b"".join(self)
        return [json.loads(line) for line in self]

    def one(self) -> dict[str, Any]:
        (line,) = self.read()
        return line


@pytest.fixture
def lines() -> Iterator[Lines]:
    lines = Lines()
    with logging_to(lines.append, Level.DEBUG):
        yield lines


def fail() -> NoReturn:
    raise ConnectionError(f"cannot reach postgresql://gate:{CANARY}@db")


def failure(*, caused: bool = False) -> Exception:
    """An exception that was raised."""
    try:
        try:
            fail()
        except ConnectionError as error:
            if not caused:
                raise
            raise ValueError(CANARY) from error
    except (ConnectionError, ValueError) as error:
        return error


def test_an_event_has_its_word_and_its_fields(lines: Lines) -> None:
    """What our modules tell is written as they tell it."""
    Log("plangate_server.somewhere").warning("streams_wait", "100 % of the streams wait", streams=3)
    line = lines.one()
    del line["time"]
    assert line == {
        "level": "warning",
        "event": "streams_wait",
        "message": "100 % of the streams wait",
        "streams": 3,
    }


def test_an_exception_is_told_by_type_and_place(lines: Lines) -> None:
    """Its words, which may hold anything, are not."""
    Log("plangate_server.somewhere").fault("fault", "it failed", failure(), error_id="e1")
    line = lines.one()
    assert (line["level"], line["error_id"], line["exception"]) == ("error", "e1", "ConnectionError")
    assert [frame.split()[1] for frame in line["frames"]] == ["failure", "fail"]
    assert "test_records.py:" in line["frames"][-1]


def test_what_led_to_it_is_told_as_well(lines: Lines) -> None:
    """A chain of exceptions, each by type and place."""
    Log("plangate_server.somewhere").fault("fault", "it failed", failure(caused=True))
    line = lines.one()
    assert line["exception"] == "ValueError"
    assert [cause["exception"] for cause in line["causes"]] == ["ConnectionError"]


def test_an_endless_recursion_is_a_line_of_bounded_length(lines: Lines) -> None:
    """The innermost frames are kept."""

    def deeper() -> NoReturn:
        deeper()

    try:
        deeper()
    except RecursionError as error:
        Log("plangate_server.somewhere").fault("fault", "it failed", error)
    assert len(lines.one()["frames"]) == 30
    assert len(lines[0]) < 10_000


def test_a_library_is_heard_without_what_it_filled_in(lines: Lines) -> None:
    """Its template says what happened; statements, parameters and URLs stay out."""
    LIBRARY.warning("cannot run %s with %r", f"INSERT {CANARY}", {"plan": CANARY})
    line = lines.one()
    assert (line["event"], line["logger"]) == ("library", "library.part")
    assert line["message"] == "cannot run %s with %r"


def test_an_exception_of_a_library_has_no_words_either(lines: Lines) -> None:
    """Nor has one that is logged as if it were a message."""
    LIBRARY.error("it failed", exc_info=failure())
    LIBRARY.error(failure())
    assert [line["message"] for line in lines.read()] == ["it failed", "ConnectionError"]


def test_libraries_are_quiet_below_warnings(lines: Lines) -> None:
    """Even at the level debug, with which they would tell what they work with."""
    LIBRARY.info(CANARY)
    logging.getLogger("sqlalchemy.engine").info(CANARY)
    Log("plangate_server.somewhere").debug("ours", "is heard")
    assert lines.one()["event"] == "ours"


@pytest.mark.parametrize(
    ("level", "heard"), [("debug", "diwe"), ("info", "iwe"), ("warning", "we"), ("error", "e")]
)
def test_the_level_says_how_much(level: str, heard: str) -> None:
    """Each level includes those above it."""
    lines = Lines()
    tell = Log("plangate_server.somewhere")
    with logging_to(lines.append, Level(level)):
        tell.debug("d", "")
        tell.info("i", "")
        tell.warning("w", "")
        tell.error("e", "")
    tell.error("after", "")
    assert "".join(line["event"] for line in lines.read()) == heard


def test_a_thread_that_fails_is_in_the_log(lines: Lines) -> None:
    """And nowhere else: Python's own report would show the words."""
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join(PATIENCE)
    line = lines.one()
    assert (line["event"], line["exception"]) == ("stray_fault", "ConnectionError")


def test_an_exception_that_nobody_can_catch_is_in_the_log(lines: Lines) -> None:
    """As where an object goes."""

    class Falling:
        def __del__(self) -> None:
            fail()

    Falling()
    gc.collect()
    assert lines.one()["event"] == "stray_fault"


def test_a_warning_of_python_is_in_the_log(lines: Lines) -> None:
    """By its kind and place."""
    warnings.showwarning(CANARY, UserWarning, "some.py", 7)
    line = lines.one()
    assert (line["category"], line["place"]) == ("UserWarning", "some.py:7")


async def test_a_task_that_nobody_waited_for_is_in_the_log(lines: Lines) -> None:
    """And so is a callback, without the arguments that the loop itself would show."""
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    log_stray_faults(loop)
    try:
        loop.call_soon(lambda _: fail(), CANARY)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    finally:
        loop.set_exception_handler(before)
    assert lines.one()["exception"] == "ConnectionError"
