"""A policy in a few words."""

from __future__ import annotations

from plangate_server.domain.policy import Policy


def summary(policy: Policy) -> str:
    """How many rules of each kind it has, and whether four_eyes is on: whoever lost one sees it."""
    counts = (
        (len(policy.deny), "deny"),
        (len(policy.allow), "allow"),
        (len(policy.auto_approve), "auto_approve"),
        (len(policy.tools), "tool"),
    )
    rules = f"{', '.join(f'{count} {kind}' for count, kind in counts)} rules"
    return f"{rules}, four_eyes" if policy.four_eyes else rules
