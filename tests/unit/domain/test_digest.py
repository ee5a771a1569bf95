"""The digest stands for the content: all of it, and nothing else."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from msgspec.structs import replace

from plangate_server.domain.content import Content, Draft, Phase, compose
from plangate_server.domain.digest import canonical_json, digest
from plangate_server.domain.todos import Todo, TodoHint, TodoProgress, TodoStatus
from tests.helpers.domain import LATER, NOW, a_draft, a_plan, a_todo
from tests.helpers.examples import drafts, repeatable, texts

CONTENT = Content(
    name="Move the cache",
    overview="Faster “reads”",
    plan="# Move the cache\n\nTab:\t end 🙂",
    todos=(Todo("measure", "Measure"), Todo("move", "Move é", ("measure",))),
    phases=(Phase("One", ("measure", "move")),),
    is_project=True,
    is_spec=False,
)

Change = Callable[[Content], Content]
CHANGES: dict[str, Change] = {
    "name": lambda c: replace(c, name=c.name + "x"),
    "overview": lambda c: replace(c, overview=c.overview + "x"),
    "plan": lambda c: replace(c, plan=c.plan + "\n"),
    "is_project": lambda c: replace(c, is_project=not c.is_project),
    "is_spec": lambda c: replace(c, is_spec=not c.is_spec),
    "todos": lambda c: replace(c, todos=(*c.todos, Todo("new", "New"))),
    "todos.id": lambda c: replace(c, todos=(replace(c.todos[0], id="other"), *c.todos[1:])),
    "todos.content": lambda c: replace(c, todos=(replace(c.todos[0], content="other"), *c.todos[1:])),
    "todos.dependencies": lambda c: replace(c, todos=(c.todos[0], replace(c.todos[1], dependencies=()))),
    "todos in another order": lambda c: replace(c, todos=c.todos[::-1]),
    "phases": lambda c: replace(c, phases=()),
    "phases.name": lambda c: replace(c, phases=(replace(c.phases[0], name="Two"),)),
    "phases.todo_ids": lambda c: replace(c, phases=(replace(c.phases[0], todo_ids=("measure",)),)),
}


def as_document(content: Content) -> dict[str, Any]:
    """What the canonical form is made of, written down once more and independently."""
    return {
        "name": content.name,
        "overview": content.overview,
        "plan": content.plan,
        "todos": [
            {"id": todo.id, "content": todo.content, "dependencies": list(todo.dependencies)}
            for todo in content.todos
        ],
        "phases": [{"name": phase.name, "todos": list(phase.todo_ids)} for phase in content.phases],
        "is_project": content.is_project,
        "is_spec": content.is_spec,
    }


def test_the_digest_never_changes() -> None:
    """Anyone's stored approval stays valid: this content has this digest in every version there will be."""
    assert canonical_json(CONTENT).decode() == (
        '{"is_project":true,"is_spec":false,"name":"Move the cache","overview":"Faster “reads”",'
        '"phases":[{"name":"One","todos":["measure","move"]}],'
        '"plan":"# Move the cache\\n\\nTab:\\t end 🙂",'
        '"todos":[{"content":"Measure","dependencies":[],"id":"measure"},'
        '{"content":"Move é","dependencies":["measure"],"id":"move"}]}'
    )
    assert digest(CONTENT) == "768cca0e56ea9f7b0884f3b5064f82c1a6e409f42635098d3af6930d762e3e64"


@repeatable
@given(drafts())
def test_the_canonical_form_is_that_of_the_standard(draft: Draft) -> None:
    """An independent implementation of RFC 8785 writes the same bytes, whatever the texts hold."""
    content = compose(draft)
    assert canonical_json(content) == rfc8785.dumps(as_document(content))


def test_control_characters_are_written_as_the_standard_says() -> None:
    """Every character that JSON escapes is escaped in the one canonical way."""
    content = replace(CONTENT, overview="".join(map(chr, range(0x20))) + '"\\/\x7f\x80\u2028\uffff\U0010ffff')
    assert canonical_json(content) == rfc8785.dumps(as_document(content))


def test_the_digest_is_sha_256_of_the_canonical_form() -> None:
    """A builder can verify an approval offline with nothing but a plan and a hash function."""
    assert digest(CONTENT) == hashlib.sha256(canonical_json(CONTENT)).hexdigest()


@pytest.mark.parametrize("part", CHANGES)
def test_every_part_of_the_content_is_covered(part: str) -> None:
    """No part of the content can change without the digest."""
    assert digest(CHANGES[part](CONTENT)) != digest(CONTENT)


def test_the_list_of_parts_is_whole() -> None:
    """A field that content gains must be added to the parts above."""
    assert set(Content.__struct_fields__) <= CHANGES.keys()
    assert {f"todos.{name}" for name in Todo.__struct_fields__} <= CHANGES.keys()
    assert {f"phases.{name}" for name in Phase.__struct_fields__} <= CHANGES.keys()


@repeatable
@given(drafts(), drafts())
def test_contents_are_the_same_exactly_if_their_digests_are(one: Draft, other: Draft) -> None:
    """Equal contents have equal digests, and different ones have different digests."""
    first, second = compose(one), compose(other)
    assert digest(first) == digest(compose(one))
    assert (digest(first) == digest(second)) == (first == second)


@repeatable
@given(texts, texts)
def test_text_cannot_pass_from_one_field_to_the_next(start: str, end: str) -> None:
    """The same characters shared out differently between two fields are another content."""
    split = replace(CONTENT, name=start + end, overview="")
    assert (digest(replace(split, name=start, overview=end)) == digest(split)) == (end == "")


def test_hints_are_no_content() -> None:
    """What the agent estimates is not what a person approves."""
    with_hints = a_plan(
        draft=a_draft(todos=[a_todo("a")], hints={"a": TodoHint("coder", timedelta(hours=1))})
    )
    assert with_hints.revision.digest == a_plan(draft=a_draft(todos=[a_todo("a")])).revision.digest


def test_progress_is_no_content() -> None:
    """Working through the todos leaves the digest, and so the approval, as it is."""
    plan = a_plan(draft=a_draft(todos=[a_todo("a")]))
    done = replace(plan, progress={"a": TodoProgress(TodoStatus.COMPLETED, NOW, LATER)})
    assert digest(done.revision.content) == plan.revision.digest
