"""What the fake gate answers, method by method."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from google.protobuf.message import Message

from plangate.testing import _content as content
from plangate.testing._plans import (
    AUTHOR,
    ENDED,
    OTHER_WORDS,
    OUTCOMES,
    PERSON,
    PREFIX,
    WITHDRAWABLE,
    Record,
    copy_of,
    missing,
    new_id,
    ready,
    same,
    word,
)
from plangate.testing._refusals import Refused
from plangate_proto.agent.v1 import plan_service_pb2 as pb
from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs, CreatePlanResult, CreatePlanSuccess
from plangate_proto.agent.v1.plan_resource_pb2 import Build, BuildOutcome, BuildStatus, Plan, PlanState
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent, ReviewEventType
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOutcome, ReviewStatus
from plangate_proto.agent.v1.todo_tools_pb2 import (
    ReadTodosResult,
    ReadTodosSuccess,
    TodoItem,
    TodoStatus,
    UpdateTodosResult,
    UpdateTodosSuccess,
)
from plangate_proto.aiserver.v1 import plan_review_service_pb2 as review_pb

LEASE: Final = timedelta(minutes=10)
Type = ReviewEventType


class Service:
    """Plans in memory. Whoever waits for something to happen registers a wake-up."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.lock = threading.RLock()
        self.asked: Callable[[Plan], None] = lambda _: None
        """Told of every plan that people are asked about."""
        self._to_ask: list[Plan] = []
        self._sleepers: list[Callable[[], None]] = []
        self._answers: dict[tuple[str, str], tuple[Message, Message]] = {}
        self._builds: dict[str, Record] = {}
        """Of every build that there ever was."""

    def call(self, path: str, request: Any) -> Any:
        """Answer one call; the same request_id gets the same answer."""
        name = path.rpartition("/")[2]
        handle = getattr(self, f"_{name}", None)
        if handle is None:
            raise NotImplementedError(f"FakeGate does not do {name}: test against a gate")
        with self.lock:
            key = (name, getattr(request, "request_id", ""))
            if key[1] and key in self._answers:
                before, answer = self._answers[key]
                if not same(before, request):
                    words = f"request_id {key[1]!r} was used for another request"
                    raise Refused("REQUEST_ID_REUSED", words, request_id=key[1])
                return answer
            answer = handle(request)
            if key[1]:
                self._answers[key] = request, answer
            while self._to_ask:
                self.asked(self._to_ask.pop())
            self.wake()
            return answer

    def told(self, request: pb.ReviewPlanRequest, position: int | None) -> tuple[list[Any], int, bool]:
        """What a stream about a plan has to tell behind a position, where it then stands, and if it ends."""
        with self.lock:
            record = self.record(request.plan_uri)
            if position is None and not request.cursor:
                position = len(record.events)
                snapshot = record.event(Type.REVIEW_EVENT_TYPE_SNAPSHOT, "plangate", "", position)
                events = [snapshot]
            else:
                start = int(request.cursor or 0) if position is None else position
                events = record.events[start:]
                position = start + len(events)
            for number, event in enumerate(events):
                if _ends(event, follow=request.follow):
                    events, is_over = events[: number + 1], True
                    break
            else:
                is_over = not events and record.is_over(follow=request.follow)
            if any(event.review.status == ReviewStatus.REVIEW_STATUS_DONE for event in events):
                record.deliver()
            return [pb.ReviewPlanResponse(event=event) for event in events], position, is_over

    def on_change(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call ``wake`` after every change; gives what ends that."""
        self._sleepers.append(wake)
        return lambda: self._sleepers.remove(wake)

    def wake(self) -> None:
        for wake in [*self._sleepers]:
            wake()

    def record(self, plan_uri: str) -> Record:
        if not plan_uri.startswith(PREFIX) or len(plan_uri) != len(PREFIX) + 32:
            words = "plan_uri is not of the form plangate://plans/{plan_id}"
            raise Refused("MALFORMED_PLAN_URI", words, field="plan_uri")
        found = self.records.get(plan_uri)
        if found is None:
            words = "plan_uri names no plan of your workspace"
            raise Refused("PLAN_NOT_FOUND", words, field="plan_uri", plan_uri=plan_uri)
        return found

    def end_review(self, plan: Plan, outcome: ReviewOutcome.ValueType, state: PlanState.ValueType) -> None:
        """What happens to a review without a person."""
        with self.lock:
            record = self.record(plan.plan_uri)
            record.end_review(outcome)
            record.plan.state = state
            record.tell(Type.REVIEW_EVENT_TYPE_REVIEW_EXPIRED, "plangate")
            self.wake()

    def _CreatePlan(self, request: pb.CreatePlanRequest) -> pb.CreatePlanResponse:
        _check_options(request)
        author = request.agent_id or AUTHOR
        record = None if request.multi_plan else self._unbuilt(request.session_id)
        if record is None:
            record = self._new(request, author)
            content.write(record.plan, request.args, is_spec=request.is_spec)
            record.ask()
            self.records[record.plan.plan_uri] = record
            self._tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_CREATED, author)
        elif record.revise(author, lambda plan: content.write(plan, request.args, is_spec=request.is_spec)):
            self._tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, author)
        result = CreatePlanResult(success=CreatePlanSuccess(), plan_uri=record.plan.plan_uri)
        return pb.CreatePlanResponse(result=result, plan=copy_of(record.plan), reviewers_watching=1)

    def _new(self, request: pb.CreatePlanRequest, author: str) -> Record:
        plan_id = new_id()
        plan = Plan(
            plan_uri=PREFIX + plan_id,
            plan_id=plan_id,
            revision=1,
            session_id=request.session_id,
            created_by=author,
            edited_by=[author],
            tool_call_id=request.tool_call_id,
        )
        plan.create_time.FromDatetime(datetime.now(UTC))
        return Record(plan)

    def _unbuilt(self, session_id: str) -> Record | None:
        newest = [each for each in self.records.values() if session_id and each.plan.session_id == session_id]
        if not newest or newest[-1].plan.built_by:
            return None
        over = {PlanState.PLAN_STATE_COMPLETED, PlanState.PLAN_STATE_WITHDRAWN}
        return None if newest[-1].plan.state in over else newest[-1]

    def _tell_asked(self, record: Record, kind: Type.ValueType, author: str) -> None:
        record.tell(kind, author)
        record.tell(Type.REVIEW_EVENT_TYPE_PLAN_APPROVAL_REQUIRED, author)
        self._to_ask.append(copy_of(record.plan))

    def _UpdatePlan(self, request: pb.UpdatePlanRequest) -> pb.UpdatePlanResponse:
        _check_options(request)
        record = self.record(request.plan_uri)
        plan, author = record.plan, request.agent_id or AUTHOR
        if request.expected_revision != plan.revision:
            raise _stale(plan, request.expected_revision)

        def write(changed: Plan) -> None:
            given, whole = request.args, request.whole
            args = content.amended(plan, given, request.old_str, request.new_str, whole=whole)
            is_spec = request.is_spec or (plan.is_spec and not whole)
            content.write(changed, args, is_spec=is_spec)

        if record.revise(author, write):
            self._tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, author)
        return pb.UpdatePlanResponse(plan=copy_of(record.plan), reviewers_watching=1)

    def _GetPlan(self, request: pb.GetPlanRequest) -> pb.GetPlanResponse:
        record = self.record(request.plan_uri)
        if not request.HasField("revision"):
            return pb.GetPlanResponse(plan=copy_of(record.plan))
        if request.revision not in record.revisions:
            words = f"revision is {request.revision}, which the plan does not have"
            raise Refused("REVISION_NOT_FOUND", words, field="revision", revision=request.revision)
        return pb.GetPlanResponse(plan=copy_of(record.revisions[request.revision]))

    def _ListPlans(self, request: pb.ListPlansRequest) -> pb.ListPlansResponse:
        plans = [
            copy_of(each.plan)
            for each in self.records.values()
            if (not request.session_id or each.plan.session_id == request.session_id)
            and (not request.agent_id or each.plan.created_by == request.agent_id)
            and (not request.states or each.plan.state in request.states)
        ]
        return pb.ListPlansResponse(plans=plans)

    def _AcknowledgeDecision(self, request: pb.AcknowledgeDecisionRequest) -> pb.AcknowledgeDecisionResponse:
        record = self._under_review(request.approval_request_id)
        if not record.is_decided:
            raise Refused("WRONG_STATE", "nothing is decided", state=word(record.plan.state))
        if not record.plan.review.HasField("acknowledge_time"):
            record.plan.review.acknowledge_time.FromDatetime(datetime.now(UTC))
            record.tell(Type.REVIEW_EVENT_TYPE_DECISION_ACKNOWLEDGED, request.agent_id or AUTHOR)
        return pb.AcknowledgeDecisionResponse(review=record.plan.review)

    def _WithdrawPlan(self, request: pb.WithdrawPlanRequest) -> pb.WithdrawPlanResponse:
        record = self.record(request.plan_uri)
        record.allow(WITHDRAWABLE)
        if not record.is_decided:
            record.end_review(ReviewOutcome.REVIEW_OUTCOME_WITHDRAWN)
        record.plan.state, record.approved = PlanState.PLAN_STATE_WITHDRAWN, ""
        record.tell(Type.REVIEW_EVENT_TYPE_PLAN_WITHDRAWN, request.agent_id or AUTHOR, request.reason)
        return pb.WithdrawPlanResponse(plan=copy_of(record.plan))

    def _BuildTodos(self, request: pb.BuildTodosRequest) -> pb.BuildTodosResponse:
        record = self.record(request.plan_uri)
        plan = record.plan
        if not record.approved:
            words = f"the plan is {word(plan.state)}, not approved"
            raise Refused("NOT_APPROVED", words, plan_uri=plan.plan_uri, state=word(plan.state))
        wanted = request.expected_digest or plan.digest
        if record.approved != plan.digest or wanted != record.approved:
            words = "another text was approved than the one to be built"
            raise Refused("STALE_APPROVAL", words, approved_digest=record.approved, digest=wanted)
        found = content.waves(plan.todos, record.free_todos(request.todo_ids))
        ordered = [todo_id for wave in found for todo_id in wave]
        todos = {todo.id: todo for todo in plan.todos}
        build = Build(
            build_id=new_id(),
            plan_uri=plan.plan_uri,
            agent_id=request.agent_id,
            todo_ids=ordered,
            revision=plan.revision,
            digest=plan.digest,
            status=BuildStatus.BUILD_STATUS_ACTIVE,
        )
        lease = request.lease.ToTimedelta() if request.HasField("lease") else LEASE
        build.lease_expire_time.FromDatetime(datetime.now(UTC) + lease)
        record.builds[build.build_id] = build
        self._builds[build.build_id] = record
        plan.state = PlanState.PLAN_STATE_BUILDING
        given = plan.built_by[request.agent_id].todo_ids
        given.extend(todo_id for todo_id in ordered if todo_id not in given)
        record.tell(Type.REVIEW_EVENT_TYPE_BUILD_STARTED, request.agent_id)
        return pb.BuildTodosResponse(
            build_id=build.build_id,
            todos=[todos[todo_id] for todo_id in ordered],
            waves=[pb.BuildTodosResponse.Wave(todo_ids=wave) for wave in found],
            prompt=f"Implement of the approved plan {plan.name!r}: {', '.join(ordered)}.",
            revision=plan.revision,
            digest=plan.digest,
            lease_expire_time=build.lease_expire_time,
        )

    def _ReadTodos(self, request: pb.ReadTodosRequest) -> pb.ReadTodosResponse:
        statuses, ids = request.args.status_filter, request.args.id_filter
        todos = [
            todo
            for todo in self.record(request.plan_uri).plan.todos
            if (not statuses or todo.status in statuses) and (not ids or todo.id in ids)
        ]
        success = ReadTodosSuccess(todos=todos, total_count=len(todos))
        return pb.ReadTodosResponse(result=ReadTodosResult(success=success))

    def _UpdateTodos(self, request: pb.UpdateTodosRequest) -> pb.UpdateTodosResponse:
        record = self.record(request.plan_uri)
        record.allow(set(PlanState.values()) - {PlanState.PLAN_STATE_WITHDRAWN})
        build = self._building(request.build_id).builds[request.build_id] if request.build_id else None
        edits = content.named(request.args.todos, (todo.id for todo in record.plan.todos))
        self._write_todos(record, request, edits)
        success = UpdateTodosSuccess(
            todos=record.plan.todos, total_count=len(record.plan.todos), was_merge=request.args.merge
        )
        return pb.UpdateTodosResponse(
            result=UpdateTodosResult(success=success),
            revision=record.plan.revision,
            ready_todo_ids=ready(record.plan.todos),
            lease_expire_time=build.lease_expire_time if build else None,
        )

    def _write_todos(self, record: Record, request: pb.UpdateTodosRequest, edits: list[TodoItem]) -> None:
        known = {todo.id: todo for todo in record.plan.todos}
        moved = {edit.id: edit.status for edit in edits if edit.status}
        after = dict(known) if request.args.merge else {}
        for edit in edits:
            before = known.get(edit.id, TodoItem()) if request.args.merge else TodoItem()
            after[edit.id] = TodoItem(
                id=edit.id,
                content=edit.content or before.content,
                dependencies=edit.dependencies or before.dependencies,
            )
        record.check_free(moved, request.build_id, request.agent_id)
        actor = request.agent_id or AUTHOR
        args = CreatePlanArgs(todos=after.values())

        def write(plan: Plan) -> None:
            changes = content.amended(record.plan, args)
            content.write(plan, changes, is_spec=plan.is_spec)

        if _differ(known, after) and record.revise(actor, write):
            _move(record.plan, moved)
            self._tell_asked(record, Type.REVIEW_EVENT_TYPE_PLAN_UPDATED, actor)
        elif _move(record.plan, moved):
            record.tell(Type.REVIEW_EVENT_TYPE_TODOS_CHANGED, actor)

    def _FinishBuild(self, request: pb.FinishBuildRequest) -> pb.FinishBuildResponse:
        if not request.outcome:
            raise missing("outcome")
        record = self._building(request.build_id)
        build = record.builds.pop(request.build_id)
        record.plan.state = record.state_after(build, request.outcome)
        well = request.outcome == BuildOutcome.BUILD_OUTCOME_COMPLETED
        kind = Type.REVIEW_EVENT_TYPE_EXECUTION_COMPLETED if well else Type.REVIEW_EVENT_TYPE_EXECUTION_FAILED
        record.tell(kind, build.agent_id, request.summary)
        done = sum(
            todo.id in build.todo_ids and todo.status == TodoStatus.TODO_STATUS_COMPLETED
            for todo in record.plan.todos
        )
        total = len(build.todo_ids)
        plan = copy_of(record.plan)
        return pb.FinishBuildResponse(plan=plan, completed=done, failed=total - done, total=total)

    def _SubmitReview(self, request: review_pb.SubmitReviewRequest) -> review_pb.SubmitReviewResponse:
        _check_seen(request)
        said = request.human_review
        option = OTHER_WORDS.get(said.selected_option, said.selected_option)
        if option not in OUTCOMES:
            raise Refused("UNKNOWN_OPTION", f"{option!r} is none of the choices")
        if option == "edit" and not request.HasField("edited"):
            raise missing("edited")
        record = self._under_review(request.approval_request_id)
        plan = record.plan
        if plan.review.approval_request_id != request.approval_request_id:
            raise _stale(plan, request.revision)
        seen, asked = (request.revision, request.digest), (plan.review.revision, plan.review.digest)
        if not (record.is_decided and seen == asked) and seen != (plan.revision, plan.digest):
            raise _stale(plan, request.revision)
        _check_open(record)
        if option == "requestChanges" and not said.feedback_text:
            raise missing("human_review.feedback_text")
        self._decide(record, request, option)
        return review_pb.SubmitReviewResponse(review=record.plan.review)

    def _decide(self, record: Record, request: review_pb.SubmitReviewRequest, option: str) -> None:
        outcome, state, kind = OUTCOMES[option]
        words = request.human_review.feedback_text
        plan = record.plan
        decided = plan.review.decisions.add(
            reviewer=PERSON, person=PERSON, selected_option=option, feedback_text=words
        )
        decided.time.FromDatetime(datetime.now(UTC))
        if option == "edit":
            whole = request.edited_whole
            args = content.amended(plan, content.args_of(request.edited), whole=whole)
            is_spec = request.edited.is_spec or (plan.is_spec and not whole)
            content.write(plan, args, is_spec=is_spec)
            plan.revision += 1
            plan.digest = content.digest(plan)
        record.end_review(outcome, by_person=True)
        plan.state = state
        if state == PlanState.PLAN_STATE_APPROVED:
            record.approved = plan.digest
        record.keep()
        record.tell(kind, PERSON, words)

    def _ListReviews(self, request: review_pb.ListReviewsRequest) -> review_pb.ListReviewsResponse:
        wanted = request.statuses or [ReviewStatus.REVIEW_STATUS_REQUESTED]
        items = [
            review_pb.ReviewItem(review=each.plan.review, plan=copy_of(each.plan))
            for each in self.records.values()
            if each.plan.review.status in wanted
            and (not request.session_id or each.plan.session_id == request.session_id)
        ]
        return review_pb.ListReviewsResponse(reviews=items)

    def _building(self, build_id: str) -> Record:
        """Whose build it is, if it is under way."""
        record = self._builds.get(build_id)
        if record is None:
            words = "build_id names no build of your workspace"
            raise Refused("BUILD_NOT_FOUND", words, field="build_id", build_id=build_id)
        if build_id not in record.builds:
            words = "build_id names a build that has ended: call BuildTodos again"
            raise Refused("BUILD_ENDED", words, field="build_id", build_id=build_id)
        return record

    def _under_review(self, approval_request_id: str) -> Record:
        for each in self.records.values():
            if any(approval_request_id == _review_id(revision) for revision in each.revisions.values()):
                return each
        words = "approval_request_id names no review of your workspace"
        raise Refused("REVIEW_NOT_FOUND", words, field="approval_request_id")


def _check_options(request: pb.CreatePlanRequest | pb.UpdatePlanRequest) -> None:
    if request.review.required_approvals > 1:
        raise NotImplementedError("FakeGate has one person: test several approvals against a gate")


def _ends(event: ReviewEvent, *, follow: bool) -> bool:
    """Whether a stream ends with an event."""
    if follow or event.plan.state == PlanState.PLAN_STATE_WITHDRAWN:
        return event.plan.state in ENDED
    return event.review.status == ReviewStatus.REVIEW_STATUS_DONE


def _check_seen(request: review_pb.SubmitReviewRequest) -> None:
    said = request.human_review.selected_option
    required = {
        "approval_request_id": request.approval_request_id,
        "human_review.selected_option": said,
        "revision": request.revision,
        "digest": request.digest,
    }
    for name, value in required.items():
        if not value:
            raise missing(name)


def _check_open(record: Record) -> None:
    review = record.plan.review
    if record.is_decided:
        outcome = ReviewOutcome.Name(review.outcome).removeprefix("REVIEW_OUTCOME_")
        by = review.decisions[-1].reviewer if review.decisions else "plangate"
        raise Refused(
            "ALREADY_DECIDED", f"the review is over: {outcome} by {by}", outcome=outcome, decided_by=by
        )


def _stale(plan: Plan, expected: int) -> Refused:
    words = f"the plan is at revision {plan.revision}: read it again"
    return Refused(
        "STALE_REVISION",
        words,
        plan_uri=plan.plan_uri,
        expected_revision=expected,
        revision=plan.revision,
        digest=plan.digest,
    )


def _review_id(plan: Plan) -> str:
    return plan.review.approval_request_id


def _differ(before: Mapping[str, TodoItem], after: Mapping[str, TodoItem]) -> bool:
    """Whether the content of todos changed, or their order."""

    def said(todos: Mapping[str, TodoItem]) -> list[tuple[str, str, tuple[str, ...]]]:
        return [(todo.id, todo.content, tuple(todo.dependencies)) for todo in todos.values()]

    return said(before) != said(after)


def _move(plan: Plan, statuses: Mapping[str, TodoStatus.ValueType]) -> bool:
    """Set the statuses; whether any of them is new."""
    changed = False
    for todo in plan.todos:
        status = statuses.get(todo.id, todo.status)
        changed, todo.status = changed or status != todo.status, status
    return changed
