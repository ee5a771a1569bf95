"""Numbers and texts that no database takes: whoever sends them is told so, and nobody else is touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from plangate_server.domain.errors import InvalidField
from plangate_server.ports import EventFilter, PlanFilter, RequestKey, ReviewFilter, SessionFilter, Writing
from tests.helpers.backends import Backend, at_once, every_database, plan_in, save
from tests.helpers.domain import a_proposal, plan_id

TEXTS: Final = ("a\0b", "\ud800", "x" * 3000, "\U0001f600" * 3000, "%", "'")
NUMBERS: Final = (2**63, 2**64, -(2**63), -(2**63) - 1, 10**30)
OF_TEXT: Final[dict[str, Callable[[Any, str], object]]] = {
    "plan": lambda look, text: look.plan(text),
    "plan_under_review": lambda look, text: look.plan_under_review(text),
    "plan_of_build": lambda look, text: look.plan_of_build(text),
    "revision": lambda look, text: look.revision(text, 1),
    "comment": lambda look, text: look.comment(text),
    "comments": lambda look, text: look.comments(text),
    "session": lambda look, text: look.session(text),
    "approval": lambda look, text: look.approval(text, text),
    "remembered": lambda look, text: look.remembered(text),
    "credential": lambda look, text: look.credential(text),
    "memory": lambda look, text: look.memory(text),
}
ONLY_READ: Final[dict[str, Callable[[Any, str], object]]] = {
    "plans": lambda look, text: look.plans(PlanFilter(text, text), after=text, limit=5),
    "some_plans": lambda look, text: look.some_plans([text]),
    "reviews": lambda look, text: look.reviews(ReviewFilter(text), after=text, limit=5),
    "sessions": lambda look, text: look.sessions(SessionFilter(), after=text, limit=5),
    "events": lambda look, text: look.events(EventFilter(text, text), after=0, limit=5),
}
OF_NUMBER: Final[dict[str, Callable[[Any, int], object]]] = {
    "revision": lambda look, number: look.revision(plan_id(1), number),
    "revisions": lambda look, number: look.revisions(plan_id(1), after=number, limit=5),
    "events": lambda look, number: look.events(EventFilter(), after=number, limit=5),
    "events_before": lambda look, number: look.events_before(EventFilter(), before=number, limit=5),
    "links": lambda look, number: look.links(after=number, limit=5),
    "links_at": lambda look, number: look.links_at([number]),
}


@every_database
async def test_looks(backend: Backend, tmp_path: Path) -> None:
    """A look finds nothing, or is refused for what it asks."""
    refused = set()
    async with backend.open(tmp_path) as node:
        await save(node.store, a_proposal(1))
        looks = [(name, look, text) for text in TEXTS for name, look in {**OF_TEXT, **ONLY_READ}.items()]
        looks += [(name, look, number) for number in NUMBERS for name, look in OF_NUMBER.items()]  # type: ignore[misc]
        for name, look, value in looks:
            try:
                await node.store.read("acme", lambda reading, look=look, value=value: look(reading, value))  # type: ignore[misc]
            except InvalidField:
                refused.add(name)
    assert refused >= OF_NUMBER.keys() | OF_TEXT.keys()


@every_database
async def test_writes(backend: Backend, tmp_path: Path) -> None:
    """A write is refused, and those that were to be committed with it are stored."""

    def looking(text: str) -> Callable[[Writing], object]:
        return lambda writing: [look(writing, text) for look in OF_TEXT.values()]

    def numbered(number: int) -> Callable[[Writing], object]:
        return lambda writing: writing.revision(plan_id(1), number)

    def keyed(text: str) -> Callable[[Writing], object]:
        return lambda writing: writing.recall(RequestKey(text, text, ""))

    def storing(text: str) -> Callable[[Writing], None]:
        change = a_proposal(99)
        plan = replace(change.plan, session_id=text)
        return lambda writing: writing.save(replace(change, plan=plan, events=()))

    bad = [make(text) for text in ("a\0b", "\ud800") for make in (looking, keyed)]
    bad += [storing("\ud800"), *map(numbered, NUMBERS)]
    async with backend.open(tmp_path) as node:
        for number, work in enumerate(bad, start=1):
            good = a_proposal(number)
            works = [("acme", work), ("acme", lambda writing, good=good: writing.save(good))]  # type: ignore[misc]
            answer, saved = await at_once(node.store, works)
            assert isinstance(answer, InvalidField) or answer is None or isinstance(answer, list), answer
            assert saved is None
            assert await plan_in(node.store, "acme", plan_id(number)) == good.plan
        await node.store.check()
