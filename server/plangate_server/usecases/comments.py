"""AddComment and ResolveComment."""

from __future__ import annotations

from msgspec import Struct

from plangate_server.domain.comments import Comment, check_comment, resolve
from plangate_server.domain.errors import CommentNotFound, MissingField
from plangate_server.domain.events import Change, Event, EventType
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan, plan_id_of
from plangate_server.ports import RequestKey, World, Writing
from plangate_server.usecases.lookup import the_plan, the_revision
from plangate_server.usecases.once import write_once


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
        checked = check_comment(named, the_revision(writing, plan, named.revision))
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


def _told(plan: Plan, comment: Comment, told: EventType, principal: Principal) -> Change:
    time = comment.resolve_time or comment.create_time
    event = Event(told, time, principal.name, plan, comment.text, comment=comment)
    return Change(plan, (event,), comments=(comment,))
