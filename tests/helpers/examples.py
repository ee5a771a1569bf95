"""Hypothesis strategies for what callers may hand in."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st
from msgspec.structs import replace

from plangate_server.domain.content import Draft, PhaseDraft
from plangate_server.domain.plan import Plan, PlanState
from plangate_server.domain.review import (
    Decision,
    DecisionSource,
    Option,
    Review,
    ReviewOutcome,
    ReviewStatus,
)
from plangate_server.domain.todos import Todo, TodoHint, TodoProgress, TodoStatus
from tests.helpers.domain import a_proposal
from tests.helpers.profiles import examples

repeatable = examples(50)

# What can reach the domain: any text but NUL and lone surrogates, which the edge refuses.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
words = texts.filter(str.strip)
times = st.datetimes(timezones=st.just(UTC))
spans = st.timedeltas(timedelta(), timedelta(days=3650))
hints = st.builds(TodoHint, agent=texts, estimated_time=st.none() | spans)


@st.composite
def todo_lists(draw: st.DrawFn, max_size: int = 6) -> tuple[Todo, ...]:
    """Todos with ids of their own that depend only on earlier ones."""
    todo_ids = draw(st.lists(texts.filter(bool), max_size=max_size, unique=True))
    return tuple(
        Todo(
            todo_id,
            draw(words),
            tuple(draw(st.lists(st.sampled_from(todo_ids[:place]), unique=True)) if place else ()),
        )
        for place, todo_id in enumerate(todo_ids)
    )


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    todos = draw(todo_lists())
    some_todos = st.lists(st.sampled_from(todos), max_size=3, unique=True) if todos else st.just([])
    return Draft(
        plan=draw(words),
        name=draw(texts),
        overview=draw(texts),
        todos=todos,
        phases=tuple(
            PhaseDraft(draw(texts), tuple(draw(some_todos))) for _ in range(draw(st.integers(0, 3)))
        ),
        is_project=draw(st.booleans()),
        is_spec=draw(st.booleans()),
        hints={todo.id: draw(hints) for todo in draw(some_todos)},
    )


decisions = st.builds(
    Decision,
    reviewer=texts,
    option=st.sampled_from(Option),
    time=times,
    feedback_text=texts,
    submit_feedback_as_new_message=st.booleans(),
    bubble_id=texts,
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any plan a store may be given: every field is filled, also those that no verb sets yet."""
    plan = a_proposal(draft=draw(drafts()), author=draw(texts), session_id=draw(texts)).plan
    todo_ids = [todo.id for todo in plan.revision.content.todos]
    return replace(
        plan,
        state=draw(st.sampled_from(PlanState)),
        revision=replace(plan.revision, create_time=draw(times)),
        review=draw(_reviews(plan.review)),
        progress={
            todo_id: TodoProgress(draw(st.sampled_from(TodoStatus)), draw(times), draw(times))
            for todo_id in todo_ids
        },
        create_time=draw(times),
        update_time=draw(times),
        tool_call_id=draw(texts),
        edited_by=tuple(draw(st.lists(texts, max_size=3))),
        referenced_by=tuple(draw(st.lists(texts, max_size=3))),
        built_by=draw(st.dictionaries(texts, st.just(tuple(todo_ids)), max_size=2)),
    )


@st.composite
def _reviews(draw: st.DrawFn, asked: Review) -> Review:
    maybe: st.SearchStrategy[datetime | None] = st.none() | times
    return replace(
        asked,
        status=draw(st.sampled_from(ReviewStatus)),
        request_time=draw(times),
        outcome=draw(st.none() | st.sampled_from(ReviewOutcome)),
        decisions=tuple(draw(st.lists(decisions, max_size=2))),
        required_approvals=draw(st.integers(1, 9)),
        source=draw(st.none() | st.sampled_from(DecisionSource)),
        rule=draw(texts),
        decide_time=draw(maybe),
        deliver_time=draw(maybe),
        acknowledge_time=draw(maybe),
        consume_time=draw(maybe),
        expire_time=draw(maybe),
    )
