"""Questions at a terminal."""

import os
import pty
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from plangate.cli._asking import ask
from tests.helpers.conditions import PATIENCE

PAUSE = 0.01


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where somebody types who sits at standard input."""
    keyboard, line = pty.openpty()
    with os.fdopen(line, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield keyboard
    os.close(keyboard)


class Interrupted(Exception):
    """What Ctrl-C brings about here."""


@contextmanager
def interrupted_beside_the_read() -> Iterator[None]:
    """Ctrl-C comes again and again, to a thread that reads nothing, until it was heard three times.

    The first may come before somebody reads; a read that is under way is woken by none of them.
    """
    over, heard = threading.Event(), list[int]()

    def listen(number: int, frame: object) -> None:
        heard.append(number)
        if len(heard) == 3:
            raise Interrupted

    def go_on() -> None:
        while not over.wait(PAUSE):
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, listen)
    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_is_heard_without_another_key(keyboard: int) -> None:
    """Also if it came right before the line was read, and so did not end the wait for it."""
    in_the_end = threading.Timer(PATIENCE, lambda: os.write(keyboard, b"too late\n"))
    in_the_end.start()
    try:
        with pytest.raises(Interrupted), interrupted_beside_the_read():
            ask("Approve this plan?")
    finally:
        in_the_end.cancel()


def test_an_answer_in_capitals_with_blanks(keyboard: int) -> None:
    """It is the same answer."""
    os.write(keyboard, b" YES \n")
    assert ask("Approve this plan? [y/N]") == "yes"
