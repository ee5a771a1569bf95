"""Page sizes and page tokens, the same for every list."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

from plangate_server.domain.approvals import Approval
from plangate_server.domain.comments import Comment
from plangate_server.domain.content import content_bytes, shown_bytes
from plangate_server.domain.errors import InvalidField, InvalidPageToken
from plangate_server.domain.events import Event, LogEvent, SessionEvent
from plangate_server.domain.limits import Limits
from plangate_server.domain.plan import Plan

Item = TypeVar("Item")


class HasSequence(Protocol):
    @property
    def sequence(self) -> int: ...


Numbered = TypeVar("Numbered", bound=HasSequence)

USUAL_SIZE: Final = 50
CHUNK: Final = 16
"""Read at a time: all of them may be as large as a plan can be."""
PAGE_BYTES: Final = 3 * 1024 * 1024
AROUND_A_TODO: Final = 48
"""Its status, its times, and what its fields are known by."""


def checked_size(page_size: int, limits: Limits) -> int:
    if page_size < 0:
        raise InvalidField("page_size", f"is negative: leave it out, or ask for 1 to {limits.page_size:,}")
    return min(page_size or USUAL_SIZE, limits.page_size)


def chunks(read: Callable[[str], Sequence[Item]], after: str, id_of: Callable[[Item], str]) -> Iterator[Item]:
    """What comes after an id, read a few at a time: a page may be full long before its last one."""
    while found := read(after):
        yield from found
        after = id_of(found[-1])


def fill_page(items: Iterator[Item], size: int, needed_by: Callable[[Item], int]) -> tuple[list[Item], bool]:
    """As many as were asked for and as fit into one message, and whether there are more."""
    page: list[Item] = []
    room = PAGE_BYTES
    for item in items:
        needed = needed_by(item)
        if page and (len(page) == size or needed > room):
            return page, True
        page.append(item)
        room -= needed
    return page, False


def read_page(
    read: Callable[[int, int], Sequence[Numbered]], needed_by: Callable[[Numbered], int], at: int, size: int
) -> tuple[list[Numbered], bool]:
    """Numbered things after a number, a few at a time: as many as were asked for and as fit into one
    message, and whether there may be more.
    """
    page: list[Numbered] = []
    room = PAGE_BYTES
    while len(page) < size:
        wanted = min(CHUNK, size - len(page))
        found = read(at, wanted)
        for item in found:
            room -= needed_by(item)
            if page and room < 0:
                return page, True
            page.append(item)
        if len(found) < wanted:
            return page, False
        at = found[-1].sequence
    return page, True


def comment_bytes(comment: Comment) -> int:
    """What a comment takes at most."""
    return 4 * (len(comment.text) + len(comment.quoted_text)) + AROUND_A_TODO


def wire_bytes(plan: Plan) -> int:
    """What a plan takes at most: a todo can stand in the list, in phases and in the summary, and the comments
    of a decision in the plan and beside it.
    """
    content = plan.revision.content
    shown = 2 * len(content.todos) + sum(len(phase.todo_ids) for phase in content.phases)
    said = 2 * sum(map(comment_bytes, plan.review.comments))
    return shown_bytes(content) + 2 * content_bytes(content) + AROUND_A_TODO * shown + said


def call_bytes(approval: Approval) -> int:
    """What a tool call takes at most."""
    texts = (approval.command, approval.prompt, approval.feedback_text, approval.agents_signature)
    kept = sum(len(key) + len(value) for key, value in approval.metadata.items())
    return 4 * (sum(map(len, texts)) + kept)


def event_bytes(event: LogEvent) -> int:
    """What an event takes at most, but for what is small."""
    if isinstance(event, Event):
        return wire_bytes(event.plan)
    return call_bytes(event.approval) if isinstance(event, SessionEvent) and event.approval else 0


def make_token(after: str, which: object) -> str:
    """Where the next page begins, tied to the filters: with others, the pages would not fit together."""
    return base64.urlsafe_b64encode(_check(after.encode(), which) + after.encode()).decode()


def read_token(token: str, which: object) -> str:
    """What the next page begins after; empty for the first page."""
    if not token:
        return ""
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
        check, after = raw[:8], raw[8:].decode()
    except (binascii.Error, ValueError):
        raise InvalidPageToken from None
    if check != _check(raw[8:], which) or make_token(after, which) != token:
        raise InvalidPageToken
    return after


def _check(after: bytes, which: object) -> bytes:
    return hashlib.sha256(repr(which).encode() + b"\n" + after).digest()[:8]
