"""THE table of limits. The settings of those that can be set and the docs of all follow from it."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from plangate_server.domain import limits
from plangate_server.domain.errors import Reason
from plangate_server.domain.limits import DEFAULTS, KIB, MIB


class Range(Struct, frozen=True):
    """What an operator may set, and why it is not more."""

    least: int
    most: int
    why: str


class Limit(Struct, frozen=True):
    name: str
    """As refusals have it in their metadata; of one that can be set, its field in Limits."""
    default: int
    what: str
    """What there may be at most so many of."""
    range: Range | None = None
    """None for a limit that is fixed."""
    reason: Reason | None = Reason.LIMIT_EXCEEDED
    """Of the refusal; None where nothing is refused."""
    beyond: str = "more is taken as this"
    """What happens to more, where it is not refused."""

    @property
    def setting(self) -> str:
        return f"max_{self.name}"


LIMITS: Final = (
    Limit(
        "message_bytes",
        DEFAULTS.message_bytes,
        "bytes of one request on the wire",
        Range(128 * KIB, 4 * MIB, "what gRPC itself takes by default; a decision with its words must fit"),
        Reason.MESSAGE_TOO_LARGE,
    ),
    Limit(
        "plan_bytes",
        DEFAULTS.plan_bytes,
        "bytes of all texts of a plan together, its todos included",
        Range(
            1,
            1 * MIB,
            "an answer shows todos up to three times, and clients take 4 MiB",
        ),
    ),
    Limit(
        "todos",
        DEFAULTS.todos,
        "todos of a plan, and dependencies of a todo",
        Range(1, limits.MOST_TODOS, "what stands around their texts must fit into an answer, too"),
    ),
    Limit(
        "todo_bytes",
        DEFAULTS.todo_bytes,
        "bytes of a todo's content",
        Range(1, 64 * KIB, "a todo is one thing to do, not a plan"),
    ),
    Limit(
        "name_characters",
        DEFAULTS.name_characters,
        "characters of the name of a plan or of a phase",
        Range(1, 1000, "a name stands on one line"),
    ),
    Limit(
        "page_size",
        DEFAULTS.page_size,
        "entries on a page of a list",
        Range(1, 1000, "a page is read at one go"),
        reason=None,
    ),
    Limit(
        "open_reviews",
        DEFAULTS.open_reviews,
        "reviews of one session that wait for a person",
        Range(1, 1000, "every event of a session tells which plans wait"),
    ),
    Limit(
        "calls_per_second",
        DEFAULTS.calls_per_second,
        "calls of one caller in a second, and an eighth as many streams that it opens; of a burst of either, "
        "twice as many",
        Range(1, 1_000_000, "no server answers more"),
        Reason.RATE_LIMITED,
    ),
    Limit(
        "streams_per_principal",
        DEFAULTS.streams_per_principal,
        "streams that one caller has open",
        Range(1, 1_000_000, "each takes about 30 KB of memory"),
    ),
    Limit(
        "streams",
        DEFAULTS.streams,
        "streams that all callers together have open",
        Range(1, 1_000_000, "each takes about 30 KB of memory"),
    ),
    Limit(
        "message_fields",
        limits.MESSAGE_FIELDS,
        "fields of one request on the wire, without those of small messages such as todos; a name or a value "
        "of arguments takes two",
    ),
    Limit(
        "filter_entries", limits.FILTER_ENTRIES, "states, types, statuses or modes that a list is filtered by"
    ),
    Limit("id_bytes", limits.ID_BYTES, "bytes of an id that a caller chooses, a tool's name or a label"),
    Limit("overview_bytes", limits.OVERVIEW_BYTES, "bytes of a plan's overview"),
    Limit(
        "feedback_bytes",
        limits.FEEDBACK_BYTES,
        "bytes of the words with a decision or a withdrawal, of a comment, of a build's summary",
    ),
    Limit("phases", limits.PHASES, "phases of a plan"),
    Limit("phase_todos", limits.PHASE_TODOS, "todos of all phases of a plan, each counted in every phase"),
    Limit(
        "shown_bytes",
        limits.SHOWN_BYTES,
        "bytes of all texts of a plan, its todos counted again in each phase that they stand in",
    ),
    Limit("dependencies", limits.DEPENDENCIES, "dependencies of all todos of a plan together"),
    Limit("labels", limits.LABELS, "labels of a todo's hint"),
    Limit("hint_bytes", limits.HINT_BYTES, "bytes of the agents and labels in all hints of a plan together"),
    Limit("command_bytes", limits.COMMAND_BYTES, "bytes of a tool call's command, arguments or signature"),
    Limit("prompt_bytes", limits.PROMPT_BYTES, "bytes of what a person is asked about a tool call"),
    Limit("metadata_entries", limits.METADATA_ENTRIES, "entries in the metadata of a tool call"),
    Limit("metadata_bytes", limits.METADATA_BYTES, "bytes of one value in the metadata of a tool call"),
    Limit("waiting_calls", limits.WAITING_CALLS, "tool calls of one session that wait for a person"),
    Limit("remembered", limits.REMEMBERED, "remembered decisions that reach one session"),
    Limit("restored", limits.RESTORED, "remembered decisions that one call restores"),
    Limit("references", limits.REFERENCES, "agents that refer to one plan"),
    Limit(
        "calls_in_line",
        limits.CALLS_IN_LINE,
        "calls of one caller that wait to be begun",
        reason=Reason.RATE_LIMITED,
    ),
    Limit(
        "heavy_calls",
        limits.HEAVY_CALLS,
        "calls of one caller under way or waiting that take long: differences, and tool calls with much to "
        "look through; who waits too long is refused, too",
        reason=Reason.RATE_LIMITED,
    ),
    Limit(
        "unknown_calls_in_line",
        limits.UNKNOWN_CALLS_IN_LINE,
        "calls of all callers together whom the gate does not know, that wait to be looked at",
        reason=Reason.RATE_LIMITED,
    ),
    Limit(
        "editors",
        limits.EDITORS,
        "names in a plan's edited_by; each revision names its author, too",
        reason=None,
        beyond="who came first is forgotten",
    ),
    Limit("revisions", limits.REVISIONS, "revisions of a plan that agents propose"),
    Limit("builds", limits.BUILDS, "builds of a plan that are under way"),
    Limit(
        "built",
        limits.BUILT,
        "todos in a plan's built_by, counted once for each agent that was given them",
        reason=None,
        beyond="what was given first is forgotten",
    ),
    Limit("comments", limits.COMMENTS, "comments on a plan"),
    Limit(
        "comments_bytes",
        limits.COMMENTS_BYTES,
        "bytes of all comments on a plan with what they quote, as stored",
    ),
    Limit(
        "authors",
        limits.AUTHORS,
        "agents of whom a session knows the newest plan",
        reason=None,
        beyond="whose plans are oldest is forgotten",
    ),
    Limit(
        "wait_days",
        limits.LONGEST_WAIT.days,
        "days until a review, a tool call or a remembered decision runs out of time",
        reason=Reason.INVALID_FIELD,
    ),
)


class Kept(Struct, frozen=True):
    """What is removed some time after it is of no more use."""

    what: str
    span: str
    of: str
    """What the span is counted from."""


KEPT: Final = (
    Kept("answers to requests with a `request_id`", "48 hours", "the answer"),
    Kept("remembered decisions", "48 hours", "their expire_time"),
    Kept("tool calls", f"{limits.KEPT_ENDED.days} days", "their end"),
    Kept("builds", f"{limits.KEPT_ENDED.days} days", "their end"),
    Kept("tokens", f"{limits.KEPT_ENDED.days} days", "their revocation or expire_time"),
    Kept(
        "sessions in agent mode where nothing waits and nothing is remembered",
        f"{limits.KEPT_ENDED.days} days",
        "what happened in them last",
    ),
    Kept("the content of events, if `--keep-events` says so", "what it says", "the event"),
)
"""Plans with their revisions, reviews and comments, and the chain of the log, are kept for ever."""

SETTABLE: Final = {limit: limit.range for limit in LIMITS if limit.range is not None}
"""What an operator can set, in which range."""
