"""All that a person should see of a plan, as lines: in the order in which every surface shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from plangate._aio import AsyncClient
from plangate.cli._changes import change_lines
from plangate.cli._decisions import comment_lines
from plangate.cli._events import happened
from plangate.cli._looking import Seen, base_of, seen_in
from plangate.cli._showing import heading, todo_lines
from plangate.cli._standing import ENDS, TO_BE_BUILT, standing_lines
from plangate.cli._text import quoted
from plangate.cli._todo_states import State, in_order, progress_line
from plangate.cli._words import clock, counted
from plangate.tui.lines import Line, line_of, lines_of
from plangate.tui.markdown import text_lines
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import Comment
from plangate_proto.aiserver.v1.plan_review_service_pb2 import GetReviewResponse


class Look(NamedTuple):
    """A plan as the gate had it in one moment."""

    seen: Seen
    events: Sequence[ReviewEvent]


class Page(NamedTuple):
    lines: Sequence[Line]
    changes_at: int
    """The line at which the changes begin; 0 if there are none."""


def text_part(plan: Plan) -> str:
    """What the lines are a part of that say what would be done."""
    return f"text {plan.digest}"


def changes_part(seen: Seen) -> str:
    """What those are a part of that say what changed."""
    return f"changes since {seen.changes.from_revision} {seen.plan.digest}" if seen.changes else ""


def comment_part(comment: Comment) -> str:
    return f"comment {comment.comment_id}"


async def look_at(client: AsyncClient, plan_uri: str, known: Iterable[int]) -> Look:
    """Compared with the last revision before it that this person has seen, else with the last decided one."""
    details = await client.review(plan_uri)
    latest = details.item.plan
    base = base_of(details, latest, max((each for each in known if each < latest.revision), default=None))
    changes = await client.diff(latest, base.revision, latest.revision) if base.revision else None
    comments = await _all_comments(client, details)
    events = [entry.event async for entry in client.history(plan_uri)]
    return Look(seen_in(details, latest, base, changes, comments=comments), events)


async def _all_comments(client: AsyncClient, details: GetReviewResponse) -> Sequence[Comment]:
    """Also those for which the answer had no room."""
    if not details.comments_not_shown:
        return details.comments
    latest = details.item.plan
    return [each async for each in client.comments(latest, revision=latest.revision)]


def plan_page(look: Look) -> Page:
    seen = look.seen
    lines = [*_part(text_part(seen.plan), _asked(seen))]
    changes_at = 0
    if seen.changes is not None:
        blank, *changed = lines_of(change_lines(seen))
        lines.append(blank)
        changes_at = len(lines)
        lines += _part(changes_part(seen), changed)
    lines += _remarks(seen)
    lines += _title("where it stands")
    lines += lines_of(standing_lines(seen))
    lines += lines_of((f"plan    {seen.plan.plan_uri}", f"digest  {seen.plan.digest}"))
    lines += _title("what happened")
    lines += lines_of(f"{clock(event.event_time)}  {happened(event)}" for event in look.events)
    return Page(lines, changes_at)


def stages(plan: Plan) -> Text:
    """What becomes of a decision, in a row: how far it came."""
    review = plan.review
    if review.outcome in ENDS:
        return Text(f" {ENDS[review.outcome]}")
    steps = {"decided": "decide_time", "delivered": "deliver_time", "acknowledged": "acknowledge_time"}
    steps |= {"being built": "consume_time"} if review.outcome in TO_BE_BUILT else {}
    row = Text(" ", end="")
    for name, field in steps.items():
        state = State.DONE if review.HasField(field) else State.READY  # type: ignore[arg-type]
        row.append(f" {state.mark} {name} ", "bold" if state is State.DONE else "")
    if review.HasField("consume_time"):
        row.append(f"\n  {progress_line(in_order(plan.todos))}")
    return row


def _asked(seen: Seen) -> Iterator[Line]:
    """Who asks and for what; what would be done."""
    plan = seen.plan
    yield line_of(heading(seen))
    yield from lines_of(quoted(plan.overview) if plan.overview else ())
    if seen.changes is not None:
        yield line_of(f"changed since revision {seen.changes.from_revision}: d shows how")
    yield Line(Text(""))
    yield from text_lines(plan.plan)
    yield from _title(counted(len(plan.todos), "todo") if plan.todos else "no todos")
    yield from lines_of(todo_lines(plan))


def _remarks(seen: Seen) -> Iterator[Line]:
    if seen.remarks:
        yield from _title(counted(len(seen.remarks), "open comment"))
        for remark in seen.remarks:
            yield from _part(comment_part(remark), lines_of(f"  {line}" for line in comment_lines(remark)))


def _part(name: str, lines: Iterable[Line]) -> Iterator[Line]:
    return (line._replace(part=name) for line in lines)


def _title(words: str) -> Iterator[Line]:
    yield Line(Text(""))
    yield Line(Text(end="").append(words, "bold"))
