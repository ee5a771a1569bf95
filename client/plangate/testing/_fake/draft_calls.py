"""A plan while a model still writes it."""

from __future__ import annotations

from plangate.testing._fake import content
from plangate.testing._fake.plan_calls import new_record, submit
from plangate.testing._fake.records import Record
from plangate.testing._fake.state import AUTHOR, State, Type
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_resource_pb2 import PlanState
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest, DraftPlanResponse


class Drafting:
    """One stream of parts; each has all that is written so far."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._record: Record | None = None
        self._is_submitted = False

    def take(self, part: DraftPlanRequest) -> DraftPlanResponse:
        """The plan after the part; what comes after the one that submits it is not read."""
        record = self._record or self._begun(part)
        if not self._is_submitted:
            self._write(record, part)
        self._record = record
        return DraftPlanResponse(plan=record.shown(), reviewers_watching=1)

    def _write(self, record: Record, part: DraftPlanRequest) -> None:
        record.allow({PlanState.PLAN_STATE_DRAFT})
        if part.submit:
            self._submit(record, part)
        else:
            content.sketch(record.plan, part.args, is_spec=part.is_spec)
            record.plan.digest = content.digest(record.plan)
            self._state.records[record.plan.plan_uri] = record
            self._state.tell(record, Type.REVIEW_EVENT_TYPE_DRAFT_UPDATED, record.plan.created_by)

    def _begun(self, part: DraftPlanRequest) -> Record:
        if part.plan_uri:
            return self._state.record(part.plan_uri)
        return new_record(part.session_id, part.agent_id or AUTHOR)

    def _submit(self, record: Record, part: DraftPlanRequest) -> None:
        record.set_options(part.review)
        content.write(record.plan, part.args, is_spec=part.is_spec)
        submit(self._state, record)
        self._is_submitted = True


def submit_as_it_stands(state: State, record: Record) -> None:
    """Whoever waits for a decision about a draft thinks that it is whole."""
    args = content.amended(record.plan, CreatePlanArgs())
    content.write(record.plan, args, is_spec=record.plan.is_spec)
    submit(state, record)
