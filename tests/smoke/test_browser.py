"""The review page in whatever Chromium this machine has: what it shows is for its own tests to say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.chromium import ALONE, MISSING, program
from plangate import Client
from tests.helpers.conditions import PATIENCE, look_until
from tests.helpers.gate_process import opened_gate


@pytest.fixture
def browser() -> str:
    found = program()
    if found is None:
        pytest.skip(MISSING)
    return found


def test_a_page_that_is_open_watches(browser: str, tmp_path: Path) -> None:
    """The link that `plangate serve` prints signs a browser in, and the agent is told that somebody looks."""
    with opened_gate(tmp_path) as opened, Client(opened.grpc) as client:
        plan = client.create_plan("# Tidy the cellar")
        # With a port for debugging it stays; without, it would load the page and leave.
        stays = ("--headless", "--remote-debugging-port=0", f"--user-data-dir={tmp_path / 'browser'}")
        command = [browser, *ALONE, *stays, opened.link]
        with (tmp_path / "browser.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            look_until(lambda: client.get_plan(plan).review.reviewers_watching == 1)
        finally:
            process.terminate()
            process.wait(PATIENCE)
