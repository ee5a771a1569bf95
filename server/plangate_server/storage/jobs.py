"""Commands that wait to be committed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct, field
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from plangate_server.domain.errors import Refusal
from plangate_server.domain.events import LogEvent
from plangate_server.domain.plan import Plan
from plangate_server.domain.sessions import Session
from plangate_server.ports import RequestKey, Writing
from plangate_server.storage.staging import Staged, Staging, Stored
from plangate_server.storage.untaken import UNTAKEN, untaken


@dataclass(slots=True)
class Job:
    """A command, or a chore: raw statements of the store's own."""

    answer: asyncio.Future[Any]
    workspace: str = ""
    work: Callable[[Writing], Any] | None = None
    key: RequestKey | None = None
    chore: Callable[[Connection], Any] | None = None
    result: Any = None
    error: Exception | None = None

    def run(self, stored: Stored, batch: Staged) -> Staged:
        """Run the command; gives what it wants written, which is nothing if it was refused."""
        assert self.work
        self.result = self.error = None
        staging = Staging(self.workspace, stored, batch)
        try:
            self.result = self.work(staging)
        except (DBAPIError, NotByHeart):
            raise  # not the command's fault
        except UNTAKEN as error:
            self.error = untaken()
            self.error.__cause__ = error
        except StopIteration as error:
            self.error = RuntimeError("a command raised StopIteration")  # which no future can carry
            self.error.__cause__ = error
        except Refusal as error:
            # Nobody needs to know where it was raised, and what was looked at there need not be kept.
            self.error = error.with_traceback(None)
        except Exception as error:
            self.error = error
        return Staged() if self.error else staging.own

    def settle(self) -> None:
        """Answer whoever waits for it."""
        if self.answer.cancelled():
            return
        if self.error is not None:
            self.answer.set_exception(self.error)
        else:
            self.answer.set_result(self.result)


class NotByHeart(Exception):
    """A command needs something that only the database knows."""


class Committed(Struct, frozen=True):
    """What a batch has changed."""

    events: Sequence[LogEvent] = ()
    plans: Mapping[str, Plan] = {}
    sessions: Mapping[str, Session] = {}
    """By their keys."""
    memories: frozenset[str] = frozenset()
    """The workspaces in which something was remembered or forgotten."""
    in_doubt: bool = False
    """The commit failed, and perhaps only its answer was lost."""
    at: float = field(default_factory=time.monotonic)
    """When that was, as the monotonic clock has it."""
