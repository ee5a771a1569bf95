"""What the gate counts about itself, for Prometheus: numbers only, and nothing in them that callers wrote."""

from plangate_server.metrics.gate import Metrics
from plangate_server.metrics.tallies import CallTally, Distribution

__all__ = ["CallTally", "Distribution", "Metrics"]
