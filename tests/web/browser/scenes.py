"""Plans as agents could propose them, and what people did with them, for whoever looks at pages."""

from __future__ import annotations

from dataclasses import dataclass

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    AcknowledgeDecisionRequest,
    BuildTodosRequest,
    CreatePlanRequest,
    UpdatePlanRequest,
    UpdateTodosRequest,
)
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus, UpdateTodosArgs
from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest
from tests.helpers.gate import Gate, connected
from tests.helpers.refusals import refused
from tests.helpers.tokens import local_token
from tests.helpers.tool_calls import call

CACHE_TEXT = """\
# Move the cache

Pages are slow since the cache is on the other machine. Measure first: if it is missed **less than once
in ten reads**, stop and say so.

## How

1. Count hits and misses for an hour, with the [counters](https://docs.example/counters) that are there.
2. Start a cache here, and let both fill.
3. Switch the readers over, one at a time.

```sh
cachectl stats --hits --misses --since 1h
cachectl move --from cache-2 --to localhost:6400
```

| step | who notices | way back |
|---|---|---|
| fill both | nobody | stop the new one |
| switch readers | slower pages for a minute | `cachectl switch --back` |

> The old cache stays for a week. Nothing is deleted before that.
"""


def todo(id: str, content: str, *after: str) -> TodoItem:
    return TodoItem(id=id, content=content, dependencies=after)


CACHE = CreatePlanRequest(
    args=CreatePlanArgs(
        name="Move the cache",
        overview="Pages are slow since the cache is on the other machine",
        plan=CACHE_TEXT,
        todos=[
            todo("measure", "Measure how often it is missed"),
            todo("start", "Start a cache here"),
            todo("fill", "Let both caches fill", "measure", "start"),
            todo("switch", "Switch the readers over, one at a time", "fill"),
            todo("compare", "Compare the times of pages with before", "switch"),
            todo("tidy", "Remove the old cache after a week", "switch"),
        ],
    ),
    session_id="slow-pages",
    agent_id="planner",
)


CELLAR = CreatePlanRequest(
    args=CreatePlanArgs(
        name="Tidy the cellar",
        overview="Make room for the wine",
        plan="# Tidy the cellar\n\nSort the boxes.\nGive away what nobody needs.\n",
        todos=[
            todo("sort", "Sort the boxes"),
            todo("label", "Label those that stay", "sort"),
            todo("give", "Give the rest away", "sort"),
        ],
    ),
    session_id="cellar-1",
    agent_id="tidy-bot",
)
MAIL = CreatePlanRequest(
    args=CreatePlanArgs(
        name="Answer the open mails",
        overview="Nobody should wait longer than a day for a first answer",
        plan="# Answer the open mails\n\nOldest first. Ask before anything is promised.\n",
        todos=[todo("read", "Read what is open"), todo("answer", "Answer", "read")],
    ),
    session_id="mail",
    agent_id="clerk",
)
WARM = CreatePlanRequest(
    args=CreatePlanArgs(
        name="Warm the cache",
        overview="The first readers of the day should not wait",
        plan="# Warm the cache\n\nRead the front pages once, before anybody comes.\n",
    ),
    session_id="slow-pages",
    agent_id="night-watch",
)
LICENSES = CreatePlanRequest(
    args=CreatePlanArgs(
        name="List the licences of what we use",
        plan="# List the licences\n\nRead the lock file.\nWrite one line for each library, by name.\n",
    ),
    agent_id="planner",
)
LICENSES_TEXT = """\
# List the licences

Read the lock file.
Write one line for each library, by licence: its name, and where it is used.
Ask about those that nobody uses.
"""
MOVE = call(
    "cachectl move --from cache-2 --to localhost:6400",
    "move-1",
    session_id="slow-pages",
    agent_id="builder",
    prompt="The new cache is filled: this moves what is left.",
)


@dataclass(frozen=True)
class Scene:
    """Plans of a gate where something has happened."""

    waits: Plan
    built: Plan
    rejected: Plan
    changed: Plan
    """By the agent, after somebody had asked for it."""
    beside: Plan
    """In the session of the one that waits, and superseded by the text of its agent."""


async def play(address: str) -> Scene:
    """Five plans: one is being built, one was rejected with a comment, and three wait, of which one has a
    comment, one a second revision by its agent, and one by another agent; and a tool call that waits.
    """
    async with (
        connected(address, token=local_token("agent")) as agent,
        connected(address, token=local_token("reviewer")) as person,
    ):
        built = await agent.propose(CELLAR)
        await person.decide(built, "approve")
        await begin(agent, built)
        rejected = await agent.propose(MAIL)
        asked = "Whom does one ask?"
        remark = AddCommentRequest(plan_uri=rejected.plan_uri, revision=1, first_line=3, text=asked)
        await person.reviews.AddComment(remark)
        await person.decide(rejected, "reject", "Only those of this week, please.")
        await refused(person.decide(rejected, "approve"))
        waits = await agent.propose(CACHE)
        changed = await agent.propose(LICENSES)
        await person.decide(changed, "requestChanges", "Say where each of them is used.")
        args = CreatePlanArgs(plan=LICENSES_TEXT)
        newer = UpdatePlanRequest(
            plan_uri=changed.plan_uri, expected_revision=1, args=args, agent_id=changed.created_by
        )
        await agent.agent.UpdatePlan(newer)
        await agent.ask(MOVE)
        asked = "How many reads is that in an hour?"
        remark = AddCommentRequest(plan_uri=waits.plan_uri, revision=1, first_line=3, text=asked)
        await person.reviews.AddComment(remark)
        beside = await agent.propose(WARM)
        args = CreatePlanArgs(plan="# Warm the cache\n\nRead every page once, before anybody comes.\n")
        other = UpdatePlanRequest(
            plan_uri=beside.plan_uri, expected_revision=1, args=args, agent_id="planner"
        )
        await agent.agent.UpdatePlan(other)
    return Scene(waits, built, rejected, changed, beside)


async def begin(gate: Gate, plan: Plan) -> None:
    """The agent has the decision, and is at its second todo."""
    review = plan.review.approval_request_id
    await gate.agent.AcknowledgeDecision(AcknowledgeDecisionRequest(approval_request_id=review))
    begun = await gate.agent.BuildTodos(BuildTodosRequest(plan_uri=plan.plan_uri, agent_id=plan.created_by))
    moved = [
        TodoItem(id="sort", status=TodoStatus.TODO_STATUS_COMPLETED),
        TodoItem(id="label", status=TodoStatus.TODO_STATUS_IN_PROGRESS),
    ]
    args = UpdateTodosArgs(todos=moved, merge=True)
    request = UpdateTodosRequest(
        plan_uri=plan.plan_uri, args=args, agent_id=plan.created_by, build_id=begun.build_id
    )
    await gate.agent.UpdateTodos(request)
