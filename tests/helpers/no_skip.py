"""With PLANGATE_TEST_NO_SKIP=1 a test that would skip fails and says why it would: where everything must
run, a skipped test is a test that nobody runs. Expected failures stay what they are.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

VARIABLE = "PLANGATE_TEST_NO_SKIP"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skips of a test: by mark, by a fixture, in its body."""
    report = yield
    _forbid(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skips of a whole module, while tests are collected."""
    report = yield
    _forbid(report)
    return report


def _forbid(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get(VARIABLE) != "1" or not report.skipped or hasattr(report, "wasxfail"):
        return
    where = report.longrepr
    told = f"{where[0]}:{where[1]}: {where[2]}" if isinstance(where, tuple) else str(where)
    report.outcome = "failed"
    report.longrepr = f"{told}\n{VARIABLE}=1 forbids to skip"
