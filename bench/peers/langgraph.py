"""LangGraph: a node interrupts with the plan; a second call resumes the thread with the decision.

``durability="exit"`` is its fastest: it writes the thread's state once, before each of the two calls returns.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypedDict
from uuid import uuid4

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bench.peers.worker import DECISION, Plan, RoundTrip, serve


class State(TypedDict):
    plan: Plan
    decision: str


async def review(state: State) -> dict[str, Any]:
    return {"decision": interrupt(state["plan"])}


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[RoundTrip]:
    async with _checkpointer(address) as checkpointer:
        builder = StateGraph(State)
        builder.add_node("review", review)
        builder.add_edge(START, "review")
        builder.add_edge("review", END)
        graph = builder.compile(checkpointer=checkpointer)

        async def round_trip(plan: Plan) -> tuple[Plan, str]:
            thread = {"configurable": {"thread_id": str(uuid4())}}
            asked = await graph.ainvoke({"plan": plan}, thread, durability="exit")
            [question] = asked["__interrupt__"]
            answered = await graph.ainvoke(Command(resume=DECISION), thread, durability="exit")
            return question.value, answered["decision"]

        yield round_trip


@asynccontextmanager
async def _checkpointer(address: str) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    if address.startswith("postgresql:"):
        settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        async with AsyncConnectionPool(address, min_size=16, max_size=16, kwargs=settings) as pool:
            saver = AsyncPostgresSaver(pool)
            await saver.setup()
            yield saver
    else:
        async with aiosqlite.connect(address) as connection:
            await connection.execute("PRAGMA synchronous = FULL")
            yield AsyncSqliteSaver(connection)


if __name__ == "__main__":
    serve(opened)
