"""The plans that changed last, so that what is hot need not be read again.

Holds what this node has committed itself. Where other nodes write, too, that may be outdated: it is good
enough to begin with when the commit checks that the plan was still the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plangate_server.domain.content import content_bytes
from plangate_server.domain.plan import Plan

MAX_BYTES: Final = 64 * 1024 * 1024
OVERHEAD_BYTES: Final = 4096


class Recent:
    """Plans by their id and by the ids of their review and live builds, each with the number of times it
    was stored; the least recently changed go first.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._plans: OrderedDict[str, tuple[Plan, int, int]] = OrderedDict()
        self._names: dict[str, str] = {}

    def plan(self, plan_id: str, workspace: str) -> tuple[Plan, int] | None:
        found = self._plans.get(plan_id)
        if found is None or found[0].workspace != workspace:
            return None
        plan, version, _ = found
        return plan, version

    def plan_named(self, name: str, workspace: str) -> tuple[Plan, int] | None:
        """The plan whose review or live build has this id."""
        return self.plan(self._names.get(name, ""), workspace)

    def add(self, plans: Mapping[str, Plan], versions: Mapping[str, int] | None = None) -> None:
        """Plans that were just stored; ``versions`` says how often they had been before, if it matters."""
        before = versions or {}
        self.drop(plans)
        for plan_id, plan in plans.items():
            size = content_bytes(plan.revision.content) + OVERHEAD_BYTES
            self._plans[plan_id] = (plan, before.get(plan_id, 0) + 1, size)
            for name in _names(plan):
                self._names[name] = plan_id
            self._bytes += size
        while self._bytes > self._max_bytes:
            self.drop([next(iter(self._plans))])

    def drop(self, plan_ids: Iterable[str]) -> None:
        for plan_id in plan_ids:
            if found := self._plans.pop(plan_id, None):
                plan, _, size = found
                self._bytes -= size
                for name in _names(plan):
                    self._names.pop(name, None)


class Memory:
    """The plans of one workspace that are known by heart; ``asked`` holds those that were asked for."""

    def __init__(self, recent: Recent, workspace: str, versions: dict[str, int]) -> None:
        self._recent = recent
        self._workspace = workspace
        self._versions = versions
        self.asked: set[str] = set()

    def plan(self, plan_id: str) -> Plan | None:
        return self._known(self._recent.plan(plan_id, self._workspace))

    def plan_named(self, name: str) -> Plan | None:
        """The plan whose review or live build has this id."""
        return self._known(self._recent.plan_named(name, self._workspace))

    def _known(self, found: tuple[Plan, int] | None) -> Plan | None:
        if found is None:
            return None
        plan, version = found
        self.asked.add(plan.plan_id)
        self._versions.setdefault(plan.plan_id, version)
        return plan


def _names(plan: Plan) -> Iterator[str]:
    if plan.review.approval_request_id:  # a draft has none
        yield plan.review.approval_request_id
    for build in plan.builds:
        yield build.build_id
