"""What a bad request is: bytes for a method, and the refusal that they must get."""

from collections.abc import Callable
from dataclasses import dataclass, field

from google.protobuf.message import Message

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest as AiserverCreatePlanRequest
from tests.helpers import error_reasons
from tests.helpers.refusals import Refused

CREATE = "/agent.v1.PlanService/CreatePlan"
GET = "/agent.v1.PlanService/GetPlan"
LIST = "/agent.v1.PlanService/ListPlans"
REVIEW = "/agent.v1.PlanService/ReviewPlan"
AISERVER_CREATE = "/aiserver.v1.PlanService/CreatePlan"
AISERVER_REVIEW = "/aiserver.v1.PlanService/ReviewPlan"
SUBMIT = "/aiserver.v1.PlanReviewService/SubmitReview"

# What HTTP/2 peers take in headers and trailers unless told otherwise.
TRAILER_LIMIT = 8 * 1024


@dataclass(frozen=True)
class Bad:
    """A request and its refusal; ``metadata`` is all of it beside the method."""

    method: str
    reason: str
    request: bytes | Message | Callable[[], bytes | Message]
    metadata: dict[str, str] = field(default_factory=dict)

    def data(self) -> bytes:
        """The bytes to send. Large ones are made when they are needed."""
        request = self.request() if callable(self.request) else self.request
        return request if isinstance(request, bytes) else request.SerializeToString()

    def check(self, refusal: Refused) -> None:
        """Fail unless the refusal is the documented one, word for word where it matters."""
        promise = error_reasons.promises()[self.reason]
        assert (refusal.status, refusal.domain) == (promise.status, "plangate")
        assert refusal.reason == self.reason
        assert refusal.metadata == {"method": self.method, **self.metadata}
        documented = promise.required_keys | promise.optional_keys | {"method"}
        assert promise.required_keys <= refusal.metadata.keys() <= documented
        at_fault = {self.metadata["field"]} if "field" in self.metadata else set()
        assert refusal.fields.keys() == at_fault
        assert all(refusal.fields.values())
        assert (refusal.retry_seconds > 0) == promise.carries_retry_info
        assert refusal.message
        assert refusal.trailer_bytes < TRAILER_LIMIT


def bad_args(reason: str, args: CreatePlanArgs, **metadata: str) -> Bad:
    """A bad plan in agent.v1."""
    return Bad(CREATE, reason, CreatePlanRequest(args=args), metadata)


def bad_params(reason: str, params: CreatePlanParams, **metadata: str) -> Bad:
    """A bad plan in aiserver.v1."""
    return Bad(AISERVER_CREATE, reason, AiserverCreatePlanRequest(params=params), metadata)


def over(limit: str, maximum: int, field: str, actual: int | None = None) -> dict[str, str]:
    """The metadata of a refusal for passing a limit, by one unless said otherwise."""
    passed = maximum + 1 if actual is None else actual
    return {"limit": limit, "maximum": str(maximum), "actual": str(passed), "field": field}
