"""Whoever reads the log, or does not, is no matter to whoever writes to it."""

import json
import os
import threading
from time import monotonic

import pytest

from plangate_server.logs import Output, output
from tests.helpers.conditions import PATIENCE


class Pipe:
    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def rest(self) -> bytes:
        """All that was written; there will be no more."""
        os.close(self.writing)
        with os.fdopen(self.reading, "rb") as file:
            return file.read()


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end waits for the last line for as long as it takes."""
    monkeypatch.setattr(output, "LAST_SECONDS", PATIENCE)


class Late:
    def line(self) -> bytes:
        return b"late\n"


def test_what_was_written_comes_out_in_order(pipe: Pipe) -> None:
    """The end of the block waits for the last line, and what has no words yet gets them."""
    with Output(pipe.writing) as out:
        for number in range(1000):
            out.write(b"%d\n" % number)
        out.write(Late())
    assert pipe.rest().split() == [*(b"%d" % number for number in range(1000)), b"late"]


def test_lines_of_many_threads_stay_whole(pipe: Pipe) -> None:
    """No line is lost or torn."""
    with Output(pipe.writing) as out:

        def write(name: int) -> None:
            for _ in range(200):
                out.write(b"%d" % name * 20 + b"\n")

        threads = [threading.Thread(target=write, args=(name,)) for name in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert sorted(pipe.rest().split()) == sorted(b"%d" % name * 20 for name in range(5) for _ in range(200))


def test_nobody_waits_for_a_reader_that_reads_nothing(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing goes on, what is too much is dropped, and the end comes all the same."""
    monkeypatch.setattr(output, "LAST_SECONDS", 0.2)
    begun = monotonic()
    with Output(pipe.writing) as out:
        for _ in range(3 * output.MOST_WAITING):
            out.write(b"x" * 200 + b"\n")
    assert monotonic() - begun < PATIENCE / 3
    os.close(pipe.reading)  # the thread ends


def test_what_was_dropped_is_counted(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the reader reads again, it learns how much is missing."""
    monkeypatch.setattr(output, "MOST_WAITING", 10)
    written = 10_000
    lines: list[bytes] = []
    with os.fdopen(pipe.reading, "rb") as file:
        reading = threading.Thread(target=lambda: lines.extend(file))
        with Output(pipe.writing) as out:
            for _ in range(written):
                out.write(b"x" * 200 + b"\n")
            reading.start()
        os.close(pipe.writing)
        reading.join(PATIENCE)
    told = [json.loads(line) for line in lines if line.startswith(b"{")]
    assert {line["event"] for line in told} == {"log_dropped"}
    assert sum(line["lines"] for line in told) + len(lines) - len(told) == written


def test_a_descriptor_that_does_not_block_loses_nothing(pipe: Pipe) -> None:
    """Somebody else who has the terminal may have made it so."""
    os.set_blocking(pipe.writing, False)
    kept: list[bytes] = []
    with os.fdopen(pipe.reading, "rb") as file:
        reading = threading.Thread(target=lambda: kept.extend(file))
        with Output(pipe.writing) as out:
            for _ in range(5000):
                out.write(b"x" * 200 + b"\n")
            reading.start()
        os.close(pipe.writing)
        reading.join(PATIENCE)
    assert len(kept) == 5000


def test_a_log_that_nobody_can_read_any_more_harms_nobody(pipe: Pipe) -> None:
    """Standard error is closed at the other end: the server goes on."""
    os.close(pipe.reading)
    with Output(pipe.writing) as out:
        for _ in range(100):
            out.write(b"x\n")
    os.close(pipe.writing)
