"""aiserver.v1.PlanReviewService."""

from __future__ import annotations

from plangate_proto.aiserver.v1 import plan_review_service_pb2 as pb
from plangate_proto.aiserver.v1.plan_review_service_pb2_grpc import PlanReviewServiceServicer
from plangate_server.ports import World
from plangate_server.rpc import aiserver, requests
from plangate_server.rpc.boundary import Context
from plangate_server.rpc.convert import review_message
from plangate_server.rpc.principal import LOCAL
from plangate_server.usecases.submit_review import SubmitReview, submit_review


class ReviewServicer(PlanReviewServiceServicer):
    def __init__(self, world: World) -> None:
        self._world = world

    async def SubmitReview(
        self, request: pb.SubmitReviewRequest, context: Context
    ) -> pb.SubmitReviewResponse:
        chosen = request.human_review
        command = SubmitReview(
            approval_request_id=request.approval_request_id,
            selected_option=chosen.selected_option,
            revision=request.revision,
            digest=request.digest,
            feedback_text=chosen.feedback_text,
            submit_feedback_as_new_message=chosen.submit_feedback_as_new_message,
            bubble_id=chosen.bubble_id,
            key=requests.request_key("aiserver.v1.SubmitReview", LOCAL, request),
        )
        plan = await submit_review(self._world, LOCAL, command)
        return pb.SubmitReviewResponse(result=aiserver.result_message(plan), review=review_message(plan))
