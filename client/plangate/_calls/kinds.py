"""The kinds of calls, as values that a client of either sort carries out."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from google.protobuf.message import Message

Answer = TypeVar("Answer", bound=Message)
Result = TypeVar("Result")
Event = TypeVar("Event")
Event_contra = TypeVar("Event_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Method(NamedTuple, Generic[Answer]):
    """A method of the gate, and as whom it is called on a machine with a token for each role."""

    path: str
    role: str
    answer: type[Answer]
    by_agent: bool = False
    """Whether it says which agent calls: the one that the call names, else the client's."""


class Unary(NamedTuple, Generic[Result]):
    """One question, one answer."""

    method: Method[Any]
    request: Message
    read: Callable[[Any], Result]
    timeout: float | None = None
    """Seconds, if it needs others than the client gives."""
    repeatable: bool = True
    """Whether it may be sent again when nobody knows if it arrived."""
    in_a_stream: bool = False
    """Whether the method takes a stream, of which this is all."""
    nameless: str = ""
    """What the agent is called if neither the call nor the client names it."""


class Pages(NamedTuple, Generic[Result]):
    """A list that comes page by page."""

    method: Method[Any]
    request: Message
    read: Callable[[Any], Iterable[Result]]
    turn: Callable[[Any], bool]
    """Makes the request that for the page after this one; False if there is none."""


class Stream(NamedTuple, Generic[Result]):
    """What the gate tells as it happens."""

    method: Method[Any]
    request: Message
    read: Callable[[Any], Result]
    cursor_of: Callable[[Any], str]
    is_last: Callable[[Any], bool] = lambda _: False
    """Whether nothing that matters comes after this: then it is no harm if the stream breaks."""
    timeout: float | None = None


class Outcome(Protocol[Event_contra, Result_co]):
    """Listens to a stream and says in the end what came of it."""

    def note(self, event: Event_contra) -> None: ...
    def result(self) -> Result_co: ...


class Until(NamedTuple, Generic[Event, Result]):
    """A stream of which only the outcome is wanted."""

    stream: Stream[Event]
    outcome: Outcome[Event, Result]


def new_id() -> str:
    """A request_id: made once for each call and kept when it is repeated."""
    return str(uuid.uuid4())


def by_page_token(request: Any) -> Callable[[Any], bool]:
    """Turns to the next page of a list."""

    def turn(page: Any) -> bool:
        request.page_token = page.next_page_token
        return bool(page.next_page_token)

    return turn
