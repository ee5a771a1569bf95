"""docs/states.md"""

from __future__ import annotations

from collections.abc import Iterator

from plangate_server.domain.lifecycle import AFTER_REVIEW, REVISABLE, WITHDRAWABLE
from plangate_server.domain.plan import ENDED, PlanState
from plangate_server.domain.review import OTHER_WORDS, OUTCOMES, ReviewOutcome
from plangate_server.domain.sessions import STATE_WITH
from plangate_server.domain.todo_lists import WRITABLE


def page() -> str:
    """The tables that the domain decides by."""
    lines = [
        "# The life of a plan",
        "",
        "<!-- Written by tools/generate_docs.py from the tables in server/plangate_server/domain. -->",
        "",
        "A plan has immutable revisions. People are asked about one revision at a time; what they decide",
        "covers its digest and nothing else. Each change is told by an event, which every stream carries in",
        "the same order.",
        "",
        "## What a decision does",
        "",
        "| choice | other word | outcome | the plan is then | event | session |",
        "|---|---|---|---|---|---|",
    ]
    other = {option: word for word, option in OTHER_WORDS.items()}
    for option, outcome in OUTCOMES.items():
        state, event = AFTER_REVIEW[outcome]
        lines.append(
            f"| `{option}` | {other.get(option, '')} | {outcome.name} | {state.name} | {event.name} "
            f"| {STATE_WITH[state].name} |"
        )
    for outcome in (ReviewOutcome.EXPIRED, ReviewOutcome.WITHDRAWN):
        state, event = AFTER_REVIEW[outcome]
        by = "nobody, in time" if outcome is ReviewOutcome.EXPIRED else "the agent"
        lines.append(
            f"| ({by}) | | {outcome.name} | {state.name} | {event.name} | {STATE_WITH[state].name} |"
        )
    lines += ["", "## What can be done in which state", "", *_verbs_by_state()]
    return "\n".join(lines) + "\n"


def _verbs_by_state() -> Iterator[str]:
    verbs = {
        "new revision (CreatePlan, UpdatePlan)": REVISABLE,
        "todo status (UpdateTodos, TodoWrite)": WRITABLE,
        "WithdrawPlan": WITHDRAWABLE,
    }
    yield f"| state | {' | '.join(verbs)} | ended |"
    yield f"|---|{'---|' * len(verbs)}---|"
    for state in PlanState:
        cells = ["yes" if state in allowed else "" for allowed in (*verbs.values(), ENDED)]
        yield f"| {state.name} | {' | '.join(cells)} |"
