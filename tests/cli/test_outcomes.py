"""`plangate propose --wait` when no person ended the review, which no call of this server can bring about."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from plangate._digest import digest_of_plan
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import (
    CreatePlanRequest,
    CreatePlanResponse,
    ReviewPlanRequest,
    ReviewPlanResponse,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from plangate_proto.agent.v1.review_resource_pb2 import Review, ReviewOutcome, ReviewStatus
from tests.helpers.command_line import CommandLine, Done

PLAN = Plan(plan_uri="plangate://plans/1", file_name="cellar.plan.md", plan="# Tidy all", revision=2)
PLAN.digest = digest_of_plan(PLAN)


@contextmanager
def gate_that_ends_reviews(outcome: ReviewOutcome.ValueType) -> Iterator[str]:
    """A gate where every review is over when it begins, and nobody has decided; gives its address."""
    review = Review(status=ReviewStatus.REVIEW_STATUS_DONE, outcome=outcome, revision=1, digest=PLAN.digest)

    def create_plan(request: CreatePlanRequest, _: object) -> CreatePlanResponse:
        return CreatePlanResponse(plan=PLAN)

    def review_plan(request: ReviewPlanRequest, _: object) -> Iterator[ReviewPlanResponse]:
        yield ReviewPlanResponse(event=ReviewEvent(review=review, plan=PLAN))

    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "CreatePlan": grpc.unary_unary_rpc_method_handler(
            create_plan, CreatePlanRequest.FromString, CreatePlanResponse.SerializeToString
        ),
        "ReviewPlan": grpc.unary_stream_rpc_method_handler(
            review_plan, ReviewPlanRequest.FromString, ReviewPlanResponse.SerializeToString
        ),
    }
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("agent.v1.PlanService", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()


def wait_for(outcome: ReviewOutcome.ValueType, folder: Path) -> Done:
    with gate_that_ends_reviews(outcome) as address:
        return CommandLine(address, folder)("propose", "-", "--wait", stdin=b"# Tidy the cellar")


def test_a_review_that_expired(tmp_path: Path) -> None:
    """That nobody decided in time is printed, and has the exit code 4."""
    done = wait_for(ReviewOutcome.REVIEW_OUTCOME_EXPIRED, tmp_path)
    assert (done.code, done.err) == (4, "")
    assert done.out.splitlines()[2:] == ["expired"]


def test_a_plan_that_was_approved_as_edited(tmp_path: Path) -> None:
    """A person's own text is a yes: it has the exit code 0."""
    done = wait_for(ReviewOutcome.REVIEW_OUTCOME_MODIFIED, tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[2:] == ["modified"]


@pytest.mark.parametrize("outcome", ["WITHDRAWN", "SUPERSEDED"])
def test_a_review_that_ended_otherwise(tmp_path: Path, outcome: str) -> None:
    """Every other end of a review is printed, and is neither taken for a decision nor a crash."""
    done = wait_for(ReviewOutcome.Value(f"REVIEW_OUTCOME_{outcome}"), tmp_path)
    assert done.code not in {0, 3, 4, 5}
    assert done.err == ""
    assert done.out.splitlines()[2:] == [outcome.lower()]
