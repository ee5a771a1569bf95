"""Ask a person while something else goes on, which may make the question needless."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Final, TypeVar

Result = TypeVar("Result")
LOOK_SECONDS: Final = 0.2


def begun(work: Callable[[], Result]) -> Future[Result]:
    """Work that goes on from now on. If the person leaves, nobody waits for its end."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # whatever it is: whoever waits for the result must hear of it
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def asked(question: str, settled: Future[Result]) -> str | None:
    """What the person types; None if it is settled before they do. An EOFError, if they leave."""
    print(question, end="", flush=True)
    while not select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
        if settled.done():
            print("\nthat was answered elsewhere", flush=True)
            return None
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip().lower()
