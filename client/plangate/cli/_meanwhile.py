"""Ask a person while something else goes on, which may make the question needless."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from plangate.cli._asking import typed

Result = TypeVar("Result")


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
    line = typed(settled.done)
    if line is None:
        print("\nthat was answered elsewhere", flush=True)
        return None
    return line.lower()
