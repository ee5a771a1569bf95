"""The same durable round trip on what one would pick instead."""

from __future__ import annotations

from bench.contenders.floor import FLOOR
from bench.contenders.peers import PEERS, STRONGEST
from bench.contenders.postgres import POSTGRES
from bench.contenders.sqlite import SQLITE
from bench.measurements.round_trip import ROUND_TRIP
from bench.parts import Goal, Measurement

ALTERNATIVES = Measurement(
    "Durable approval round trip, and what one would pick instead",
    "An agent asks for approval of the plan; a person sees it and approves; the agent gets the decision. "
    "Each keeps it as durably as it can on one machine. Of a peer, `load` is its library and worker, too.",
    {**{ours: ROUND_TRIP.contenders[ours] for ours in (FLOOR, SQLITE, POSTGRES)}, **PEERS},
    goals=tuple(Goal(SQLITE, peer, 64, 2.0 if peer is STRONGEST else 8.0) for peer in PEERS),
)
