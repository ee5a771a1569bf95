"""A draft as a client writes it."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from plangate.testing._fake.draft_calls import Drafting
from plangate.testing._fake.messages import copy_of
from plangate.testing._fake.refusals import missing
from plangate.testing._fake.service import Service
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest, DraftPlanResponse


class Writing:
    """For a thread. Parts are taken when their writer asks for the result: no other thread reads them."""

    def __init__(self, service: Service, person: str) -> None:
        self._service = service
        self._person = person
        self._parts: Iterable[DraftPlanRequest] = ()

    def __call__(self, parts: Iterable[DraftPlanRequest], **_: Any) -> DraftPlanResponse:
        return self.future(parts).result()

    def future(self, parts: Iterable[DraftPlanRequest], **_: Any) -> Writing:
        begun = Writing(self._service, self._person)
        begun._parts = parts
        return begun

    def result(self, _: float | None = None) -> DraftPlanResponse:
        drafting = Drafting(self._service.state)
        answers = [self._service.draft(drafting, copy_of(part), self._person) for part in self._parts]
        return _last(answers)

    def cancel(self) -> None:
        """There is nothing to end."""


class AioWriting:
    """For a task. Each part is taken when it is written."""

    def __init__(self, service: Service, person: str, parts: Iterable[DraftPlanRequest]) -> None:
        self._service = service
        self._person = person
        self._parts = parts
        self._drafting = Drafting(service.state)
        self._answers: list[DraftPlanResponse] = []

    async def write(self, part: DraftPlanRequest) -> None:
        self._answers.append(self._service.draft(self._drafting, copy_of(part), self._person))

    async def done_writing(self) -> None:
        """The draft is as it was last written."""

    def __await__(self) -> Generator[Any, None, DraftPlanResponse]:
        return self._result().__await__()

    async def _result(self) -> DraftPlanResponse:
        for part in self._parts:
            await self.write(part)
        return _last(self._answers)

    def cancel(self) -> None:
        """There is nothing to end."""


def _last(answers: list[DraftPlanResponse]) -> DraftPlanResponse:
    if not answers:
        raise missing("args")
    return copy_of(answers[-1])
