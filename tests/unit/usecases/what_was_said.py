"""What authors wrote and what people saw and said, kept beside the gate and not taken from its answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import DecisionSource, ReviewOutcome
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanResult
from plangate_server.domain.content import Content
from plangate_server.domain.digest import digest
from plangate_server.domain.identity import Principal
from plangate_server.domain.plan import Plan
from plangate_server.domain.todos import Todo

APPROVED = ReviewOutcome.REVIEW_OUTCOME_APPROVED
MODIFIED = ReviewOutcome.REVIEW_OUTCOME_MODIFIED
YES = {APPROVED: "accepted", MODIFIED: "modified"}
MANUAL = DecisionSource.DECISION_SOURCE_MANUAL
NAME = "Plan"
"""Of every plan, so that no name follows from the text."""


class Named(NamedTuple):
    """An author: a caller, and the agent that it says it is."""

    caller: Principal
    agent_id: str


class Text(NamedTuple):
    """A text of a plan: which, and what it says."""

    uri: str
    revision: int
    content: Content

    @property
    def digest(self) -> str:
        return digest(self.content)

    @property
    def place(self) -> Place:
        return Place(self.uri, self.revision, self.digest)


class Place(NamedTuple):
    """How an agent is told which text is meant."""

    uri: str
    revision: int
    digest: str


class Yes(NamedTuple):
    """What a person agreed to: the text that may be built, and the one that they saw."""

    outcome: ReviewOutcome.ValueType
    text: Text
    seen: Text


class HasTodo(Protocol):
    """A todo of either vocabulary."""

    @property
    def id(self) -> str: ...
    @property
    def content(self) -> str: ...


def content_of(words: str) -> Content:
    """A whole plan; its todo tells it from every other where a result has nothing but todos."""
    return Content(NAME, "", words, (Todo("t", words),))


class Said:
    def __init__(self) -> None:
        self.own: defaultdict[Named, set[str]] = defaultdict(set)
        """Digests of what each author sent, and of what people made of it."""
        self.wrote_in: set[tuple[Named, str]] = set()
        """The plans of which an author has a text that people were asked about."""
        self.sketched: dict[str, Named] = {}
        """Who wrote last into each draft."""
        self.needed: dict[str, int] = {}
        self.approvals: defaultdict[Place, set[str]] = defaultdict(set)
        self.yes: dict[Place, Yes] = {}

    def sent(self, author: Named, content: Content) -> None:
        """All of a text, or a part of one that the author named."""
        self.own[author].add(digest(content))

    def sent_part(self, author: Named, before: Plan, content: Content) -> None:
        """A part of what the author believes to stand there."""
        known = before.revision.digest in self.own[author]
        if known or (author, before.uri) not in self.wrote_in:
            self.sent(author, content)

    def asked(self, author: Named, uri: str, needed: int = 0) -> None:
        """People are asked about the author's text, under its terms or those of before."""
        self.wrote_in.add((author, uri))
        self.needed[uri] = needed or self.needed.get(uri, 1)

    def edited(self, seen: Text, content: Content) -> None:
        """A person's edit is good for whoever wrote what was edited."""
        for digests in self.own.values():
            if seen.digest in digests:
                digests.add(digest(content))

    def approved(self, person: Principal, seen: Text) -> bool:
        """Whether that was enough of them."""
        self.approvals[seen.place].add(person.person)
        if len(self.approvals[seen.place]) < self.needed[seen.uri]:
            return False
        self.yes[seen.place] = Yes(APPROVED, seen, seen)
        return True

    def approved_as_edited(self, seen: Text, content: Content) -> None:
        self.edited(seen, content)
        text = Text(seen.uri, seen.revision + 1, content)
        self.yes[text.place] = Yes(MODIFIED, text, seen)

    def meant_by(self, author: Named, plan: Plan) -> Named:
        """Who has no name, and no text in a plan, waits for its creator if that has the same credentials."""
        stands_in = not author.agent_id and (author, plan.uri) not in self.wrote_in
        own = plan.owner.principal == author.caller.key
        return Named(author.caller, plan.owner.agent_id) if stands_in and own else author

    def check_event(self, event: ReviewEvent, author: Named | None) -> None:
        """Of one that says yes: it is to what a person saw, and the author's, if it asked as one."""
        if event.review.source != MANUAL or event.review.outcome not in YES:
            return
        yes = self.yes[Place(event.plan_uri, event.revision, event.digest)]
        assert event.review.outcome == yes.outcome
        assert (event.review.revision, event.review.digest) == (yes.seen.revision, yes.seen.digest)
        if event.HasField("plan"):
            assert event.plan.plan == yes.text.content.plan
            assert _same_todos(event.plan.todos, yes.text.content)
        if author is not None:
            assert event.digest in self.own[author]

    def check_result(self, result: CreatePlanResult, about: Place, author: Named | None) -> None:
        """The same in the other vocabulary, about what was told last or what stands there."""
        kind = result.WhichOneof("result")
        if kind not in YES.values():
            return
        yes = self.yes[about]
        assert kind == YES[yes.outcome]
        check_words(result, yes.text.content)
        if author is not None:
            assert about.digest in self.own[author]


def check_words(result: CreatePlanResult, content: Content) -> None:
    """The result of a yes has this text, where it has any, and these todos."""
    if result.HasField("modified"):
        assert result.modified.new_plan == content.plan
        assert _same_todos(result.modified.final_todos, content)
    else:
        assert _same_todos(result.accepted.final_todos, content)


def _same_todos(told: Iterable[HasTodo], content: Content) -> bool:
    return [(each.id, each.content) for each in told] == [(each.id, each.content) for each in content.todos]
