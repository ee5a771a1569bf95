"""Every form of plan file that is in the wild is read; what had to be mended or is unseen is told."""

import pytest

from plangate.planfile import Extra, Form, Phase, PlanFile, Todo, read_plan_file
from tests.helpers.plan_files import ALL, CANONICAL


def read(name: str, file_name: str = "the_file_0123abcd.plan.md") -> PlanFile:
    return read_plan_file(ALL[name], file_name)


def warned(plan: PlanFile) -> list[int]:
    return [warning.line for warning in plan.warnings]


def test_front_matter() -> None:
    """Name, overview, todos with status and dependencies, and the body behind one blank line."""
    plan = read("with todos")
    assert plan.name == "Move the cache"
    assert plan.overview == "Three steps: measure, move, tidy"
    assert plan.todos[2] == Todo(
        "tidy", 'Remove the old one, see #12 and "notes"', "pending", ("measure", "move")
    )
    assert plan.body.startswith("# Move the cache\n\n---\n\n```mermaid\n")
    assert (plan.form, plan.warnings) == (Form.FRONT_MATTER, ())


@pytest.mark.parametrize("name", [name for name in CANONICAL if name not in {"with two front matters"}])
def test_a_file_of_ours_needs_no_warning(name: str) -> None:
    """Only a status that no gate knows is told."""
    assert all("'blocked'" in warning.words for warning in read(name).warnings)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain Markdown", "The plan"),
        ("Markdown that begins with a rule", "Title"),
        ("Markdown without a heading", "the file"),
        ("nothing", "the file"),
    ],
)
def test_plain_markdown_is_named_after_its_heading_or_its_file(name: str, expected: str) -> None:
    """The whole text is the body; code is no heading."""
    plan = read(name)
    assert (plan.name, plan.body.encode(), plan.form) == (expected, ALL[name], Form.MARKDOWN)


def test_the_older_form() -> None:
    """Its list becomes todos with ids from their words, and the rest of the text is the body."""
    plan = read("the older form")
    assert [(todo.id, todo.status) for todo in plan.todos] == [
        ("first-begin", "pending"),
        ("second", "completed"),
        ("first-begin-3", "pending"),
    ]
    assert plan.body.startswith("<!-- 0a1b2c3d")
    assert plan.body.endswith("-->\n# Old\n\nText.\n")
    assert plan.form is Form.OLDER


def test_a_colon_without_quotes_is_mended_and_told() -> None:
    """The text is read as if it were quoted, and each such line is named."""
    plan = read("a colon in every text")
    assert (plan.name, plan.overview, plan.todos[0].content) == ("Fix: it", "Now: or never:", "Do: this")
    assert warned(plan) == [2, 3, 6]
    assert "colon" in plan.warnings[0].words


def test_text_after_a_hash_is_kept_and_told() -> None:
    """What YAML would drop belongs to the text; behind quotes it is a comment."""
    plan = read("text after #")
    assert (plan.name, plan.overview) == ("Fix #12", "See #3 # and #4")
    assert [todo.content for todo in plan.todos] == ["#1", "#2 first"]
    assert plan.comments == ("# real",)
    assert warned(plan) == [2, 3, 6]


def test_signs_that_need_quotes_are_mended_and_told() -> None:
    """What YAML reserves for itself at the beginning of a text is read as text."""
    plan = read("signs at the beginning")
    assert (plan.name, plan.overview) == ("`code` first", "@you")
    said = ["[P] do it", "% of it", '"so" they say', "- a dash", "> 5 of them"]
    assert [todo.content for todo in plan.todos] == said
    assert warned(plan) == [2, 3, 5, 6, 7, 8, 9]


def test_keys_of_others_are_kept_as_they_are() -> None:
    """At the top and in todos, in their order, with their types and their comments."""
    plan = read("with keys of others")
    assert [extra.key for extra in plan.extras] == ["author", "tags", "limits"]
    assert plan.extras[0] == Extra("author", "author: no one # still here")
    assert plan.todos[0].extras[0] == Extra("priority", "priority: 007")
    assert plan.comments == ("# the end",)


def test_keys_of_others_in_braces_are_kept() -> None:
    """Also where a todo stands on one line."""
    [todo] = read_plan_file(b"---\ntodos: [{content: a, own: {b: [1, 'c d']}}]\n---\n").todos
    assert todo.extras == (Extra("own", 'own: {b: [1, "c d"]}'),)


def test_statuses() -> None:
    """done is completed, none is pending, and others are kept and told."""
    plan = read("other statuses")
    assert [todo.status for todo in plan.todos] == ["completed", "pending", "In Progress"]
    assert warned(plan) == [3, 5]


def test_comments_are_kept() -> None:
    """None is lost, wherever it stood."""
    plan = read("comments")
    ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
    assert plan.comments == tuple(f"# {word}" for word in ordinals)
    assert plan.extras == (Extra("own", "own: # ninth\n  # tenth\n  a: b"),)


def test_line_ends_and_byte_order_mark() -> None:
    """They are known, and no part of the texts; lines of both kinds keep theirs."""
    assert (read("CRLF").newline, read("CRLF").body) == ("\r\n", "# A\n")
    assert read("a byte order mark").bom
    mixed = read("ends of lines of both kinds")
    assert (mixed.newline, mixed.body) == ("\n", "# A\r\nb\nc\r\r\n")


def test_a_second_front_matter_is_text_and_told() -> None:
    """Only the first one is read."""
    plan = read("with two front matters")
    assert (plan.name, plan.body) == ("A", "---\nname: C\n---\nText.\n")
    assert warned(plan) == [8]


def test_what_nobody_can_see_is_kept_and_told() -> None:
    """Control characters and those that turn text around, also as escapes."""
    plan = read("text that nobody sees")
    assert (plan.name, plan.overview) == ("a\u202eb", "\x1b[8m")
    assert warned(plan) == [2, 3, 5]


def test_phases() -> None:
    """Todos of their own, or the ids of todos; what is told again word for word is one todo."""
    assert read("with phases").phases == (
        Phase("One", ("first", Todo("second", "Go on", "pending"))),
        Phase("Two"),
    )
    repeated = read("phases that repeat todos")
    assert repeated.phases[0].todos[0] == "a"
    assert [todo.id for todo in repeated.all_todos()] == ["a", "new-one"]


def test_a_dependency_that_is_not_there_is_told() -> None:
    """With its line; whether to take it is for the gate to say."""
    plan = read_plan_file(b"---\ntodos:\n  - content: a\n    dependencies:\n      - gone\n---\n")
    assert [(warning.line, "'gone'" in warning.words) for warning in plan.warnings] == [(5, True)]


def test_warnings_are_as_many_as_someone_would_read() -> None:
    """Of very many, the first hundred are told, and how many more there are."""
    plan = read_plan_file(b"---\ntodos:\n" + b"  - content: a: b\n" * 150 + b"---\n")
    assert len(plan.warnings) == 101
    assert plan.warnings[-1].words == "and 50 more"


def test_a_large_file_is_read() -> None:
    """As large as any that was ever seen, with code, mermaid and other scripts."""
    body = "# 計画\n\n```mermaid\na-->b\n```\n\n---\n" * 6000
    plan = read_plan_file(CANONICAL["without a body"].encode() + b"\n" + body.encode())
    assert plan.body == body
    assert len(body.encode()) > 181 * 1024
