"""What a scrape says, and that every gate has numbers of its own."""

from importlib.metadata import version

import pytest

from plangate_server.metrics import Metrics, table
from plangate_server.metrics.table import Kind
from tests.helpers.scraping import Numbers

CREATE, WATCH = "/agent.v1.PlanService/CreatePlan", "/aiserver.v1.PlanReviewService/WatchReviews"


@pytest.fixture
def metrics() -> Metrics:
    metrics = Metrics()
    metrics.know([(CREATE, False), (WATCH, True)])
    return metrics


def scraped(metrics: Metrics) -> Numbers:
    return Numbers(metrics.text().decode())


def test_everything_in_the_table_is_exported(metrics: Metrics) -> None:
    """Under its name, with its help, its kind and its labels, and nothing of ours that is not in it."""
    metrics.calls(CREATE).begun()
    metrics.calls(CREATE).finished("OK", 0.001)
    for metric in table.METRICS:
        if metric.kind is Kind.GAUGE and not metric.labels:
            metrics.read(metric, lambda: 7)
    text = metrics.text().decode()
    for metric in table.METRICS:
        assert f"# HELP {metric.name} {metric.help}\n# TYPE {metric.name} {metric.kind}\n" in text
    assert text.count("# TYPE plangate_") == len(table.METRICS)
    labels = {name for name, _ in scraped(metrics).labels}
    assert labels == {label for metric in table.METRICS for label in metric.labels} | {"le"}


def test_names_and_units_are_as_prometheus_wants_them() -> None:
    """Prefixed, in base units, counters in _total; and buckets rise."""
    for metric in table.METRICS:
        assert metric.name.startswith("plangate_")
        assert metric.name.endswith("_total") == (metric.kind is Kind.COUNTER)
        assert list(metric.buckets) == sorted(set(metric.buckets))
        assert bool(metric.buckets) == (metric.kind is Kind.HISTOGRAM)


def test_the_version_and_the_process(metrics: Metrics) -> None:
    """Which version it is, and what the process uses."""
    numbers = scraped(metrics)
    assert numbers("plangate_build_info", version=version("plangate")) == 1
    assert numbers("process_resident_memory_bytes") > 0
    assert numbers("process_open_fds") > 0


def test_a_fault_can_be_seen_to_be_the_first(metrics: Metrics) -> None:
    """A counter that appears with 1 has not risen, so those that alerts are about are there with 0."""
    numbers = scraped(metrics)
    for method in (CREATE, WATCH):
        assert numbers("plangate_calls_total", method=method, status="INTERNAL") == 0


def test_a_method_that_does_not_exist_has_no_name(metrics: Metrics) -> None:
    """Names that callers make up are one number, however many they are."""
    for number in range(1000):
        made_up = metrics.calls(f"/made.up/Name{number}")
        made_up.begun()
        made_up.finished("UNIMPLEMENTED", 0.0)
    numbers = scraped(metrics)
    assert numbers.calls("unknown", "UNIMPLEMENTED") == 1000
    assert "made.up" not in numbers.text


def test_only_calls_with_one_answer_have_a_duration(metrics: Metrics) -> None:
    """That of a stream says how long somebody watched; and what was never called has none."""
    for method in (CREATE, WATCH):
        metrics.calls(method).begun()
        metrics.calls(method).finished("OK", 0.002)
    numbers = scraped(metrics)
    assert numbers("plangate_call_seconds_count", method=CREATE) == 1
    assert numbers("plangate_call_seconds_bucket", method=CREATE, le="0.001") == 0
    assert numbers("plangate_call_seconds_bucket", method=CREATE, le="0.0025") == 1
    assert numbers.text.count("plangate_call_seconds_count{") == 1


def test_a_stream_is_open_while_it_lasts(metrics: Metrics) -> None:
    """And no call with one answer is among the streams."""
    metrics.calls(WATCH).begun()
    metrics.calls(CREATE).begun()
    assert scraped(metrics)("plangate_open_streams", method=WATCH) == 1
    metrics.calls(WATCH).finished("CANCELLED", 1.0)
    numbers = scraped(metrics)
    assert numbers("plangate_open_streams", method=WATCH) == 0
    assert numbers.text.count("plangate_open_streams{") == 1


def test_a_gauge_that_nobody_can_read_is_left_out(metrics: Metrics) -> None:
    """What is not known is not told, not even as it was before."""
    values: list[float | None] = [3, None]
    metrics.read(table.PENDING_REVIEWS, lambda: values.pop(0))
    assert scraped(metrics)("plangate_pending_reviews") == 3
    assert "plangate_pending_reviews" not in scraped(metrics).text


def test_gates_do_not_share_their_numbers(metrics: Metrics) -> None:
    """Several can run in one process."""
    other = Metrics()
    other.know([(CREATE, False)])
    metrics.calls(CREATE).begun()
    metrics.calls(CREATE).finished("OK", 0.0)
    metrics.decision_seconds.observe(1)
    assert scraped(other).calls(CREATE, "OK") == 0
    assert scraped(other)("plangate_decision_seconds_count") == 0
