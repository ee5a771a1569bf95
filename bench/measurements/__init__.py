"""What is measured, one file each."""

from __future__ import annotations

from typing import Final

from bench.measurements.create_plan import CREATE_PLAN
from bench.measurements.get_plan import GET_PLAN
from bench.measurements.round_trip import ROUND_TRIP

MEASUREMENTS: Final = (ROUND_TRIP, GET_PLAN, CREATE_PLAN)
