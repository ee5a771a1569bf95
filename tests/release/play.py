"""What happens at a gate of a release, from its first plan to the moment at which it is killed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from plangate_proto.agent.v1.agent_session_service_pb2 import ReportEventRequest
from tests.helpers.gate import Gate, proposal
from tests.helpers.tool_calls import event
from tests.release import calls, plans
from tests.release.observing import Json, cursors_now, observe, since
from tests.release.people import Cast, Secrets, come_to, make_other_tokens
from tests.rpc.steps import watching

MOVES = "moves"
"""A session whose stream is followed for a while, and taken up again later."""


async def play_before_retention(gate: Gate) -> None:
    """What is so old that only the hashes of its events are left."""
    plan = await gate.propose(proposal("# Long ago", session_id="old"))
    await gate.decide(plan, "approve")


async def play(gate: Gate) -> Json:
    """Two workspaces full of everything; gives what there is to compare with later."""
    secrets = Secrets()
    async with come_to(gate, "default", secrets) as ours, come_to(gate, "acme", secrets) as theirs:
        await make_other_tokens(ours, secrets)
        await plans.play_plans(ours)
        cursors = {"default": await _begin_to_follow(ours), "acme": await _begin_to_follow(theirs)}
        await calls.play_calls(ours)
        for scene in (plans.in_review, plans.decided, calls.remembered, calls.modes, calls.waiting_calls):
            await scene(theirs)
        for cast in (ours, theirs):
            await _move(cast, "IS_ATOMIC_FALSE")
        casts = {"default": ours, "acme": theirs}
        return {
            "secrets": asdict(secrets),
            "cursors": cursors,
            "workspaces": {name: await observe(cast.admin) for name, cast in casts.items()},
            "since": {name: await since(cast.admin, cursors[name]) for name, cast in casts.items()},
            "repeated": {name: cast.repeated for name, cast in casts.items()},
        }


async def _begin_to_follow(cast: Cast) -> Json:
    await _move(cast, "RECEIVE_MESSAGE")
    return await cursors_now(cast.admin, MOVES)


async def _move(cast: Cast, name: str) -> None:
    await cast.agent.sessions.ReportEvent(ReportEventRequest(session_id=MOVES, event=event(name)))


async def leave(gate: Gate, secrets: dict[str, str]) -> tuple[Json, Any]:
    """A third workspace with everything under way; gives what it looks like, and a stream to be cut off."""
    made = Secrets(live=secrets)
    async with come_to(gate, "late", made) as cast:
        await calls.leave_waiting(cast)
        await plans.leave_running(cast)
        left = await observe(cast.admin)
    stream, _ = await watching(gate)
    return left, stream
