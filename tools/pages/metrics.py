"""docs/metrics.md"""

from __future__ import annotations

from plangate_server.metrics.table import METRICS, Metric
from plangate_server.settings import DEFAULT_WEB_LISTEN

SCRAPE = f"""\
scrape_configs:
  - job_name: plangate
    static_configs:
      - targets: ["{DEFAULT_WEB_LISTEN}"]
"""

ALERTS = """\
groups:
  - name: plangate
    rules:
      - alert: NobodyDecides
        expr: >-
          max by (job) (plangate_pending_reviews) > 0
          and sum by (job) (increase(plangate_decision_seconds_count[1h])) == 0
        for: 1h
        annotations:
          summary: Reviews wait, and for an hour or more nobody has decided any.
      - alert: EventsComeLate
        expr: >-
          histogram_quantile(0.99, sum by (job, le) (rate(plangate_event_lag_seconds_bucket[5m]))) > 1
        for: 5m
        annotations:
          summary: One event in a hundred reaches its streams more than a second late.
      - alert: CallsFail
        expr: sum by (job, method) (increase(plangate_calls_total{status="INTERNAL"}[5m])) > 0
        annotations:
          summary: Calls fail by a fault of the service; the log has each by its error_id.
"""


def page() -> str:
    """Every metric, how to scrape them, and what to be told of."""
    lines = [
        "# Metrics",
        "",
        "<!-- Written by tools/generate_docs.py from server/plangate_server/metrics/table.py. -->",
        "",
        f"`GET /metrics` on the web port (`--web-listen`, by default `{DEFAULT_WEB_LISTEN}`) is what",
        "Prometheus reads. Only this machine may, and only by a loopback name or address: everyone else gets",
        "403. The page is made at most once a second.",
        "",
        "There is nothing in it that callers wrote: no text, no id, no workspace, no name of a caller.",
        "Methods are named as in the log, if they exist; standard services (`grpc.*`) are not counted.",
        "`process_…` tells of memory, processor, files and start of the process, as everywhere.",
        "",
        "| metric | kind | labels | what it tells |",
        "|---|---|---|---|",
        *map(_metric_row, METRICS),
        "",
        "The numbers are those of one server since its start. Of several servers on one database, each",
        "counts its own calls, streams and writes, and all say the same about what waits for people.",
        "",
        "## Scrape them",
        "",
        "Prometheus, or an agent that forwards to one, runs on the same machine:",
        "",
        "```yaml",
        f"{SCRAPE}```",
        "",
        "## Be told",
        "",
        "```yaml",
        f"{ALERTS}```",
        "",
        "That the gate is down Prometheus knows by itself (`up`). Whether it can use its database says",
        "`GET /healthz`: 200 and `serving`, or 503 and `not serving`, as",
        "[health over gRPC](operations.md#health) does.",
    ]
    return "\n".join(lines) + "\n"


def _metric_row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |"
