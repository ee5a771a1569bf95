"""No field of any request can be made so large that the call takes more than its share."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.e2e.field_walk import MARGIN, MOST_MEMORY, MOST_PROCESSOR, MOST_STRETCH
from tests.e2e.processes import ROOT
from tests.helpers.conditions import PATIENCE

pytestmark = pytest.mark.load

LEAST_TAKEN = 0.2
"""Of all calls: a walk whose requests were nearly all refused has reached little."""


async def test_no_field_takes_more_than_its_share(tmp_path: Path) -> None:
    """Of the event loop at a stretch, of the processor, of memory; and each refusal has a reason."""
    command = (sys.executable, "-m", "tests.e2e.field_walk", str(tmp_path))
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(3 * PATIENCE):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors.decode()
    found = json.loads(output)
    bounds = f"{MOST_STRETCH * 1000:.0f} ms at a stretch, {MOST_PROCESSOR:g} s, {MOST_MEMORY // 1024**2} MiB"
    print(
        f"{found['calls']} calls, {found['taken']} of them taken; allowed: {bounds}; margin: {MARGIN} times"
    )
    for name, worst in found["worst"].items():
        print(f"most {name}:", *worst, sep="\n  ")
    assert found["faults"] == []
    assert found["taken"] > LEAST_TAKEN * found["calls"]
