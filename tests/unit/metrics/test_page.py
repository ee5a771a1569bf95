"""The page about metrics: what an operator copies from it means something."""

import re
from pathlib import Path
from typing import Any

import yaml

from plangate_server.metrics import table
from plangate_server.settings import DEFAULT_WEB_LISTEN

PAGE = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
SCRAPE, ALERTS = (
    yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)


def test_the_target_is_where_the_web_port_is() -> None:
    """Of a server that nobody has told otherwise."""
    ((job),) = SCRAPE["scrape_configs"]
    assert job["static_configs"] == [{"targets": [DEFAULT_WEB_LISTEN]}]


def test_alerts_are_about_metrics_that_exist() -> None:
    """Each has a name, words for people, and an expression with our metrics and their labels only."""
    exported = {metric.name for metric in table.METRICS}
    exported |= {f"{name}_{part}" for name in exported for part in ("bucket", "count", "sum")}
    labels = {label for metric in table.METRICS for label in metric.labels}
    rules: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) == 3
    for rule in rules:
        assert rule["annotations"]["summary"].endswith(".")
        used = set(re.findall(r"plangate_\w+", rule["expr"]))
        assert used
        assert used <= exported
        grouped = {name for names in re.findall(r"by \((.*?)\)", rule["expr"]) for name in names.split(", ")}
        assert grouped <= labels | {"job", "le"}
