"""What the contract has and this version does not: refused by name, and nothing is stored."""

import pytest
from google.protobuf.duration_pb2 import Duration

from plangate_proto.agent.v1.create_plan_tool_pb2 import CreatePlanArgs
from plangate_proto.agent.v1.plan_service_pb2 import CreatePlanRequest
from plangate_proto.agent.v1.review_resource_pb2 import ReviewOptions
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams
from plangate_proto.aiserver.v1.plan_service_pb2 import CreatePlanRequest as AiserverCreatePlanRequest
from plangate_server.rpc.server import SERVICES
from tests.helpers import descriptors
from tests.helpers.gate import Gate, decision
from tests.helpers.raw_calls import method_named, path_of, raw_call
from tests.helpers.refusals import refused
from tests.rpc.bad_requests import AISERVER_CREATE, CREATE, SUBMIT, Bad

METHODS = [path_of(method) for service in descriptors.services().values() for method in service.methods]
BUILT = {
    f"/{service.name}/{method}" for service in SERVICES for method, built in service.built().items() if built
}


def test_the_contract_has_calls_of_every_kind() -> None:
    """The next test covers unary calls and streams in both directions."""
    unbuilt = [method_named(path) for path in METHODS if path not in BUILT]
    kinds = {(method.client_streaming, method.server_streaming) for method in unbuilt}
    assert kinds >= {(False, False), (False, True), (True, False)}


@pytest.mark.parametrize("method", [path for path in METHODS if path not in BUILT])
async def test_a_call_that_is_not_built_says_so(empty_gate: Gate, method: str) -> None:
    """Every call of the contract answers: those of a later version with NOT_IMPLEMENTED, unread."""
    for data in (b"", b"\xff\xff"):
        refusal = await refused(raw_call(empty_gate.channel, method, data))
        Bad(method, "NOT_IMPLEMENTED", b"").check(refusal)
        assert method in refusal.message


UNBUILT_OPTIONS = {
    "review.expires_after": ReviewOptions(expires_after=Duration(seconds=60)),
    "review.required_approvals": ReviewOptions(required_approvals=2),
    "review.require_reviewer": ReviewOptions(require_reviewer=True),
}


@pytest.mark.parametrize("field", UNBUILT_OPTIONS)
async def test_an_option_that_is_not_built_is_refused_by_name(gate: Gate, field: str) -> None:
    """Both vocabularies refuse what they cannot keep to, instead of doing half of it."""
    options = UNBUILT_OPTIONS[field]
    requests = {
        CREATE: CreatePlanRequest(args=CreatePlanArgs(plan="# Plan"), review=options),
        AISERVER_CREATE: AiserverCreatePlanRequest(params=CreatePlanParams(plan="# Plan"), review=options),
    }
    for method, request in requests.items():
        bad = Bad(method, "NOT_IMPLEMENTED", request, {"field": field})
        bad.check(await refused(raw_call(gate.channel, method, bad.data())))
    assert await gate.plans() == []


@pytest.mark.parametrize(
    "params", [CreatePlanParams(old_str="a", new_str="b"), CreatePlanParams(new_str="b")]
)
async def test_a_replacement_of_text_is_refused_by_name(gate: Gate, params: CreatePlanParams) -> None:
    """A plan given as a replacement of text is not built yet, and is not taken for an empty plan."""
    request = AiserverCreatePlanRequest(params=params)
    bad = Bad(AISERVER_CREATE, "NOT_IMPLEMENTED", request, {"field": "params.old_str"})
    bad.check(await refused(raw_call(gate.channel, AISERVER_CREATE, bad.data())))
    assert await gate.plans() == []


async def test_an_edit_is_refused_by_name(gate: Gate) -> None:
    """The choice to edit is in the contract and not built yet: nothing is decided."""
    plan = await gate.propose()
    request = decision(plan, "edit")
    request.edited.plan = "# Better plan"
    bad = Bad(SUBMIT, "NOT_IMPLEMENTED", request, {"field": "human_review.selected_option"})
    bad.check(await refused(gate.reviews.SubmitReview(request)))
    assert await gate.plans() == [plan]
