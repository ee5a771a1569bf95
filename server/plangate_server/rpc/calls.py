"""What the log says of calls: one line for each, when it is finished."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol, TypeAlias

import grpc

from plangate_server.domain.identity import Caller
from plangate_server.logs import Level, Log, Written, line
from plangate_server.rpc.methods import methods_of
from plangate_server.rpc.running import Context
from plangate_server.rpc.turns import Turn

REQUEST_ID: Final = "x-request-id"
LONGEST_ID: Final = 64
LONGEST_METHOD: Final = 100
"""Of those that there are not; they can be anything."""

Write: TypeAlias = Callable[[Written], object]
Metadata: TypeAlias = Iterable[tuple[str, Any]]

tell = Log(__name__)

# Together they are different for every call of every server, and cost next to nothing.
_of_this_process: Final = secrets.token_hex(6)
_numbers: Final = itertools.count(1)


class Span(Protocol):
    """What is traced of a call."""

    def finished(self, status: str, reason: str) -> None: ...


class Traces(Protocol):
    def begin(self, method: str, request_id: str, metadata: Iterable[tuple[str, Any]]) -> Span:
        """A call has come; who makes it may have said, in its metadata, what it is a part of."""


class Tally(Protocol):
    """Where the calls of one method are counted."""

    def begun(self) -> None: ...

    def finished(self, status: str, seconds: float) -> None: ...


class Counts(Protocol):
    """Where calls are counted."""

    def know(self, methods: Iterable[tuple[str, bool]]) -> None:
        """The methods that there are, each with whether it streams its answers: no others get a name."""

    def calls(self, method: str) -> Tally: ...


class Uncounted:
    """For a gate whose calls nobody wants to count."""

    def know(self, methods: Iterable[tuple[str, bool]]) -> None:
        """Their names are not needed."""

    def calls(self, method: str) -> Uncounted:
        return self

    def begun(self) -> None:
        """It leaves no trace."""

    def finished(self, status: str, seconds: float) -> None:
        """Nor does its end."""


class Call:
    """A call under way, and when it is finished, its line in the log and its place in the metrics."""

    __slots__ = (
        "_begun",
        "_ended",
        "_more",
        "_span",
        "_status",
        "_tally",
        "_took",
        "_write",
        "caller",
        "metadata",
        "method",
        "request_id",
        "sent",
        "turn",
    )

    def __init__(
        self, method: str, request_id: str, write: Write | None, tally: Tally, span: Span | None = None
    ) -> None:
        self.method = method
        self.request_id = request_id
        self.sent: int | None = None
        """How many messages a stream has sent; None for a call with one answer."""
        self.caller: Caller | None = None
        """Who makes it, once that is known."""
        self.turn: Turn | None = None
        """While it is worked on, and does not only wait."""
        self.metadata: Metadata = ()
        """What came with it; gRPC puts it together anew whenever it is asked."""
        self._write = write
        self._tally = tally
        self._span = span
        tally.begun()
        self._begun = time.perf_counter()

    @property
    def trailer(self) -> tuple[str, str]:
        """What its caller gets, however it ends."""
        return REQUEST_ID, self.request_id

    def make_room(self) -> None:
        """Let the next call of its caller begin: what is left of this one is little work, or none."""
        if self.turn is not None:
            self.turn.end()

    def finished(self, status: str, **more: str) -> None:
        """Have it counted, and its line written, whose words are found later: here someone waits."""
        self._took = time.perf_counter() - self._begun
        self._tally.finished(status, self._took)
        if self._span is not None:
            self._span.finished(status, more.get("reason", ""))
        if self._write is not None:
            self._ended = time.time_ns()
            self._status = status
            self._more = more
            self._write(self)

    def failed(self, error: Exception, error_id: str) -> None:
        """By a fault of ours: the caller gets its id, the log what can be said without the words of it."""
        self.finished("INTERNAL", reason="INTERNAL", error_id=error_id)
        where = {"error_id": error_id, "request_id": self.request_id, "method": self.method}
        tell.fault("fault", "a call failed by a fault of the service", error, **where)

    def line(self) -> bytes:
        fields: dict[str, object] = {
            "request_id": self.request_id,
            "principal": self.caller.principal.name if self.caller else "",
            "method": self.method,
            "status": self._status,
            "duration_ms": round(self._took * 1000, 3),
        }
        if self.sent is not None:
            fields["sent"] = self.sent
        return line("info", "call", "call finished", {**fields, **self._more}, self._ended)


class CallLog:
    """Where lines about calls go, and where calls are counted. Without a place for them, calls still have
    their ids.
    """

    def __init__(
        self,
        write: Write | None = None,
        level: Level = Level.INFO,
        metrics: Counts | None = None,
        traces: Traces | None = None,
    ) -> None:
        self._traces = traces
        self._write = write if level.includes(Level.INFO) else None
        self._metrics = metrics or Uncounted()

    def expect(self, services: Iterable[str]) -> None:
        """The services whose methods are counted by name; a name that anyone can make up is none."""
        self._metrics.know(methods_of(services))

    def begin(self, method: str, context: Context) -> Call:
        """A call has come; its caller will get its request id, however it ends."""
        metadata = context.invocation_metadata() or ()
        own_id = request_id(metadata)
        span = self._traces.begin(method, own_id, metadata) if self._traces else None
        call = Call(method, own_id, self._write, self._metrics.calls(method), span)
        call.metadata = metadata
        context.set_trailing_metadata((call.trailer,))
        return call

    def passed(self, details: grpc.HandlerCallDetails, *, known: bool) -> None:
        """A call that others answer: a standard service, or nobody, for there is no such method."""
        method, own_id = details.method, request_id(details.invocation_metadata or ())
        if known:
            tell.debug("standard_call", "a standard service is called", request_id=own_id, method=method)
        else:
            tally = self._metrics.calls(method)
            Call(method[:LONGEST_METHOD], own_id, self._write, tally).finished("UNIMPLEMENTED")


def request_id(metadata: Metadata) -> str:
    """The caller's own, if it is short and can be read; or else a new one."""
    for key, value in metadata:
        if key == REQUEST_ID and isinstance(value, str) and _is_sane(value):
            return value
    return f"{_of_this_process}-{next(_numbers):x}"


def _is_sane(value: str) -> bool:
    return 0 < len(value) <= LONGEST_ID and value.isascii() and value.isprintable()
