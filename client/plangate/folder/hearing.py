"""What happens on either side, in one queue: at the gate, told by its stream, and in the folder."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, TypeAlias

from plangate._attempts import is_passing
from plangate._client import Client
from plangate.errors import InvalidCursor, PlangateError, TimedOut
from plangate.planfile.names import ENDING
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType

RETRY_SECONDS: Final = 2.0
GLANCE_MILLISECONDS: Final = 1000
TOGETHER_MILLISECONDS: Final = 50
SNAPSHOT: Final = ReviewEventType.REVIEW_EVENT_TYPE_SNAPSHOT
CHECKPOINT: Final = ReviewEventType.REVIEW_EVENT_TYPE_CHECKPOINT
DRAFT: Final = ReviewEventType.REVIEW_EVENT_TYPE_DRAFT_UPDATED


@dataclass(frozen=True, slots=True)
class Everything:
    """Nobody knows what happened: look at all of it."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Something happened to a plan."""

    plan_uri: str


@dataclass(frozen=True, slots=True)
class Touched:
    """Somebody did something to files of these names."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Trouble:
    """The gate does not tell what happens."""

    error: PlangateError


@dataclass(frozen=True, slots=True)
class Blind:
    """The system does not tell what happens in the folder, and why."""

    words: str


Heard: TypeAlias = Everything | Moved | Touched | Trouble | Blind
Queue: TypeAlias = "queue.SimpleQueue[Heard]"


def passes(error: PlangateError) -> bool:
    """Whether it is only a matter of time; a cursor is not known any more to a gate with another log."""
    return is_passing(error) or isinstance(error, TimedOut | InvalidCursor)


def hear(client: Client, folder: Path, heard: Queue) -> None:
    """Begin to listen to both. The threads end with the process."""
    hear_of_plans(client, heard)
    threading.Thread(target=hear_folder, args=(folder, heard), daemon=True).start()


def hear_of_plans(client: Client, heard: Queue, session_id: str = "") -> None:
    """Begin to listen to the gate alone, to one session of it or to all."""
    threading.Thread(target=hear_gate, args=(client, heard, session_id), daemon=True).start()


def hear_gate(client: Client, heard: Queue, session_id: str = "") -> None:
    """Never returns, unless the gate refuses to say anything."""
    pause = threading.Event()
    while True:
        try:
            for said in news(client.watch(session_id=session_id, unattended=True)):
                heard.put(said)
        except PlangateError as error:
            heard.put(Trouble(error))
            if not passes(error):
                return
        pause.wait(RETRY_SECONDS)


def news(events: Iterator[ReviewEvent]) -> Iterator[Heard]:
    """A stream that begins, or begins again because it missed something, says that all is to be looked at."""
    begins = True
    for event in events:
        if event.type == SNAPSHOT:
            begins = True
        elif event.type == CHECKPOINT:
            if begins:
                yield Everything()
            begins = False
        elif event.type != DRAFT:
            yield Moved(event.plan_uri)


def hear_folder(folder: Path, heard: Queue) -> None:
    """Never returns, unless nothing is to be heard."""
    try:
        _watch(folder, heard)
    except Exception as error:  # whatever it is, whoever waits for it must know
        heard.put(Blind(str(error)))


def _watch(folder: Path, heard: Queue) -> None:
    begins = True
    changes = import_module("watchfiles").watch(
        folder,
        watch_filter=None,
        recursive=False,
        step=TOGETHER_MILLISECONDS,
        rust_timeout=GLANCE_MILLISECONDS,
        yield_on_timeout=True,
    )
    for touched in changes:
        if begins:
            heard.put(Everything())  # for what happened before anybody listened
            begins = False
        names = frozenset(Path(path).name for _, path in touched)
        if plan_files := frozenset(name for name in names if name.endswith(ENDING)):
            heard.put(Touched(plan_files))
