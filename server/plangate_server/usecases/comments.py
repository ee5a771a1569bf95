"""AddComment, ResolveComment and ListComments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from plangate_server.domain.comments import (
    Comment,
    CommentState,
    Taken,
    carry,
    check_comment,
    check_room,
    resolve,
)
from plangate_server.domain.errors import CommentNotFound, InvalidField, MissingField
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.ports import Lookup, Reading, RequestKey, World, Writing
from plangate_server.usecases.lookup import the_plan, the_revision
from plangate_server.usecases.once import write_once
from plangate_server.usecases.paging import checked_size, comment_bytes, fill_page, make_token, read_token

NEGATIVE: Final = "is negative: revisions are counted from 1"


class AddComment(Struct, frozen=True):
    plan_uri: str
    revision: int
    first_line: int
    last_line: int
    text: str
    key: RequestKey | None = None


async def add_comment(world: World, principal: Principal, command: AddComment) -> Comment:
    """The comment as stored."""
    plan_id = plan_id_of(command.plan_uri)
    if not command.revision:
        raise MissingField("revision", "send the revision you look at")
    if command.revision < 0:
        raise InvalidField("revision", NEGATIVE)
    named = Comment(
        comment_id=world.ids.new(),
        plan_id=plan_id,
        revision=command.revision,
        first_line=command.first_line,
        last_line=command.last_line,
        text=command.text,
        author=principal.name,
        create_time=world.clock.now(),
    )

    def record(writing: Writing) -> Change:
        plan = the_plan(writing, command.plan_uri)
        taken = writing.comments_taken(plan_id) if plan.has_comments else Taken()
        check_room(taken, named)  # what is refused must not cost everybody a look at the revision
        checked = check_comment(named, the_revision(writing, plan, named.revision).content.plan)
        check_room(taken, checked)
        plan = replace(plan, has_comments=True)
        return _told(plan, checked, EventType.COMMENT_ADDED, principal)

    return (await write_once(world, principal, command.key, record)).comments[0]


async def resolve_comment(
    world: World, principal: Principal, comment_id: str, key: RequestKey | None
) -> Comment:
    """The comment, resolved; a second time changes nothing."""
    now = world.clock.now()

    def record(writing: Writing) -> Change:
        comment = writing.comment(comment_id)
        plan = writing.plan(comment.plan_id) if comment else None
        if comment is None or plan is None:
            raise CommentNotFound(comment_id)
        resolved = resolve(comment, principal.name, now)
        if resolved is comment:
            return Change(plan, (), comments=(comment,))
        return _told(plan, resolved, EventType.COMMENT_RESOLVED, principal)

    return (await write_once(world, principal, key, record)).comments[0]


class Commented(Lookup, Protocol):
    """What comments on a plan are looked up in: a look at the store, or a transaction."""

    def comments(self, plan_id: str) -> Sequence[Comment]: ...


def comments_on(lookup: Commented, plan: Plan) -> Sequence[Comment]:
    """The comments on a plan as they stand on the revision that it shows, oldest first."""
    if not plan.has_comments:
        return ()

    def text_of(number: int) -> str:
        return the_revision(lookup, plan, number).content.plan

    return carry(lookup.comments(plan.plan_id), plan.revision.number, text_of)


async def list_comments(
    world: World,
    principal: Principal,
    plan_uri: str,
    states: tuple[CommentState, ...],
    *,
    revision: int = 0,
    page_size: int,
    page_token: str,
) -> tuple[Sequence[Comment], str]:
    """A page of the comments on a plan at a revision, oldest first, and the token of the next one."""
    if revision < 0:
        raise InvalidField("revision", NEGATIVE)
    size = checked_size(page_size, world.limits)
    scope = (principal.workspace, plan_id_of(plan_uri), states, revision)
    after = read_token(page_token, scope)

    def look(reading: Reading) -> Sequence[Comment]:
        plan = the_plan(reading, plan_uri)
        shown = the_revision(reading, plan, revision) if revision else plan.revision
        return comments_on(reading, replace(plan, revision=shown))

    found = await world.store.read(principal.workspace, look)
    rest = (each for each in found if each.comment_id > after and (not states or each.state in states))
    page, more = fill_page(rest, size, comment_bytes)
    return page, make_token(page[-1].comment_id, scope) if more else ""


def _told(plan: Plan, comment: Comment, told: EventType, principal: Principal) -> Change:
    time = comment.resolve_time or comment.create_time
    event = Event(told, time, principal.name, plan, comment.text, comment=comment)
    return Change(plan, (event,), comments=(comment,))
