"""docs/limits.md"""

from __future__ import annotations

from plangate_server.domain.comments import SENT_BYTES, SENT_COMMENTS
from plangate_server.domain.limit_table import KEPT, LIMITS, SETTABLE, Limit
from plangate_server.domain.limits import KIB
from plangate_server.rpc.options import (
    ANSWER_SECONDS,
    HEADER_BYTES,
    MOST_PENDING,
    PENDING,
    PING_SECONDS,
    SHORTEST_PING_SECONDS,
    STANDARD_STREAMS,
)
from plangate_server.settings import SETTINGS
from plangate_server.usecases.paging import PAGE_BYTES
from plangate_server.usecases.read_reviews import SHOWN_BYTES


def page() -> str:
    """Every limit, what it is about, and whether it can be set."""
    lines = [
        "# Limits",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/domain/limit_table.py. -->",
        "",
        "What passes a limit is refused with RESOURCE_EXHAUSTED, and the refusal's metadata has `limit`, its",
        "name here, `maximum`, what holds, and `actual`, what there was. Some can be set, like every",
        "[setting](settings.md): by flag, by environment or in the file. New content is held to what is set;",
        "what is stored already stays readable, and can be decided.",
        "",
        "| limit | at most | of | setting | refused with |",
        "|---|---|---|---|---|",
        *map(_limit_row, LIMITS),
        "",
        "Why no more can be set:",
        "",
        *(f"- `{limit.name}`: {span.why}." for limit, span in SETTABLE.items()),
        "",
        "## How long things are kept",
        "",
        "Plans with their revisions, reviews and comments are kept for ever, and so is the chain of the",
        "event log. What else there is goes a while after it is of no more use:",
        "",
        "| what | is kept for | after |",
        "|---|---|---|",
        *(f"| {each.what} | {each.span} | {each.of} |" for each in KEPT),
        "",
        "## What an answer has room for",
        "",
        "Clients take answers of 4 MiB. What does not fit is counted, and can be read page by page.",
        "",
        f"- A page of a list ends at {PAGE_BYTES // KIB:,} KiB, also where more were asked for.",
        f"- `GetReview` has {SHOWN_BYTES // KIB:,} KiB of comments, open ones first; `comments_not_shown`",
        "  counts the others, and `ListComments` has all.",
        f"- A decision takes {SENT_COMMENTS:,} open comments along, of {SENT_BYTES // KIB:,} KiB;",
        "  `comments_left_out` counts the others.",
        "",
        "## What gRPC itself refuses",
        "",
        f"- All metadata of a call together has at most {HEADER_BYTES:,} bytes. More is refused with",
        "  RESOURCE_EXHAUSTED, without a reason of ours.",
        f"- A peer that has said nothing for {PING_SECONDS} seconds is asked whether it is there. One that",
        f"  does not answer within {ANSWER_SECONDS} seconds is gone, and its streams are ended.",
        f"- A client may ask the same, at most every {SHORTEST_PING_SECONDS} seconds. One that asks more",
        "  often, again and again, is sent away (`too_many_pings`).",
        "- Packed (compressed) requests are refused with UNIMPLEMENTED: a few bytes can be packed so that",
        "  they fill the memory.",
        f"- Health and reflection, which need no token, have at most {STANDARD_STREAMS:,} streams open",
        "  together. More are refused with RESOURCE_EXHAUSTED.",
        f"- {PENDING:,} calls can wait to be begun. From then on some are cancelled, and from",
        f"  {MOST_PENDING:,} on all.",
    ]
    return "\n".join(lines) + "\n"


def _limit_row(limit: Limit) -> str:
    refusal = f"`{limit.reason}`" if limit.reason else f"({limit.beyond})"
    return f"| `{limit.name}` | {limit.default:,} | {limit.what} | {_setting_of(limit)} | {refusal} |"


def _setting_of(limit: Limit) -> str:
    if limit.range is None:
        return "fixed"
    (setting,) = (each for each in SETTINGS if each.name == limit.setting)
    return f"`{setting.flag}`, {limit.range.least:,} to {limit.range.most:,}"
