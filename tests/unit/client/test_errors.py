"""Whatever goes wrong with a call is one exception that says why and what to do."""

import grpc
import pytest
from google.protobuf.any_pb2 import Any as Packed
from google.rpc import error_details_pb2, status_pb2

from plangate import GateUnreachable, PlangateError, TimedOut, errors
from plangate.errors import MalformedPlanUri, ShuttingDown
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.conditions import PATIENCE
from tests.helpers.fake_gate import TARGET, FakeGate, Trailers

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"


def trailers(*details: Packed) -> Trailers:
    status = status_pb2.Status(details=details)
    return (("grpc-status-details-bin", status.SerializeToString()),)


def error_info(reason: str, domain: str = "plangate", **metadata: str) -> Packed:
    packed = Packed()
    packed.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata))
    return packed


def retry_info(seconds: int) -> Packed:
    packed, info = Packed(), error_details_pb2.RetryInfo()
    info.retry_delay.FromSeconds(seconds)
    packed.Pack(info)
    return packed


def error_of(
    fake: FakeGate, code: grpc.StatusCode, message: str = "", trailers: Trailers = ()
) -> PlangateError:
    """What the client raises when the gate ends a call like this."""
    reading = fake.called(lambda client: client.get_plan("plangate://plans/1"))
    fake.refuse("GetPlan", code, message, trailers)
    with pytest.raises(PlangateError) as caught:
        reading.result(PATIENCE)
    return caught.value


def test_a_refusal_says_why(fake: FakeGate) -> None:
    """The gate's words, status, reason, field and metadata are all there."""
    info = error_info("MALFORMED_PLAN_URI", field="plan_uri", plan_uri="x")
    error = error_of(fake, grpc.StatusCode.INVALID_ARGUMENT, "plan_uri is not of the form", trailers(info))
    assert error.words == "plan_uri is not of the form"
    assert str(error) == f"plan_uri is not of the form ({error.fix})"
    assert isinstance(error, MalformedPlanUri)
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.reason == "MALFORMED_PLAN_URI"
    assert error.field == "plan_uri"
    assert error.metadata == {"field": "plan_uri", "plan_uri": "x"}


def test_a_refusal_about_no_field_has_none(fake: FakeGate) -> None:
    """The field of a refusal that is about none is empty."""
    error = error_of(fake, grpc.StatusCode.ABORTED, "moved on", trailers(error_info("STALE_REVISION")))
    assert (error.reason, error.field) == ("STALE_REVISION", "")


def test_the_reason_is_found_among_other_details(fake: FakeGate) -> None:
    """Details of other kinds and of other services before the gate's own do not hide it."""
    other = Packed()
    other.Pack(error_details_pb2.BadRequest())
    details = trailers(other, error_info("QUOTA", domain="proxy.test"), error_info("LIMIT_EXCEEDED"))
    assert error_of(fake, grpc.StatusCode.RESOURCE_EXHAUSTED, "too much", details).reason == "LIMIT_EXCEEDED"


def test_the_reason_of_another_service_is_ignored(fake: FakeGate) -> None:
    """A proxy's ErrorInfo is not the gate's: its reason and metadata are not taken for ours."""
    details = trailers(error_info("QUOTA", domain="proxy.test", field="x"))
    error = error_of(fake, grpc.StatusCode.RESOURCE_EXHAUSTED, "slow down", details)
    assert (str(error), error.reason, error.field, error.metadata) == ("slow down", "", "", {})


def test_a_status_without_details_is_an_error_without_a_reason(fake: FakeGate) -> None:
    """A gate that gives no reason, or something between, still raises the same exception."""
    error = error_of(fake, grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
    assert error.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert (error.words, error.reason, error.metadata) == ("Deadline Exceeded", "", {})
    assert isinstance(error, TimedOut)
    assert isinstance(error, TimeoutError)


def test_nobody_answers(fake: FakeGate) -> None:
    """An unreachable gate is told apart, and the text says where it was looked for and what to do."""
    error = error_of(fake, grpc.StatusCode.UNAVAILABLE, "failed to connect to all addresses")
    assert isinstance(error, GateUnreachable)
    assert error.code is grpc.StatusCode.UNAVAILABLE
    assert TARGET in str(error)
    assert "'plangate serve'" in str(error)
    assert "PLANGATE_TARGET" in str(error)


def test_something_else_answers(fake: FakeGate) -> None:
    """A web server, another service or an older gate does not know the call: the text says where that was."""
    error = error_of(fake, grpc.StatusCode.UNIMPLEMENTED, "Received http2 header with status: 404")
    assert isinstance(error, errors.NotImplemented)
    assert str(error) == (
        f"what answers at {TARGET} is no gate, or one that is older than this client "
        "(look whether the target is right, or update the gate)"
    )


def test_a_gate_that_says_it_is_unavailable_was_reached(fake: FakeGate) -> None:
    """UNAVAILABLE with the gate's own reason is a refusal like any other."""
    details = trailers(error_info("SHUTTING_DOWN"), retry_info(seconds=3600))
    error = error_of(fake, grpc.StatusCode.UNAVAILABLE, "the server is shutting down", details)
    assert isinstance(error, ShuttingDown)
    assert not isinstance(error, GateUnreachable)
    assert (error.reason, error.retry_delay) == ("SHUTTING_DOWN", 3600.0)


def test_a_reason_that_is_newer_than_the_client(fake: FakeGate) -> None:
    """It is told by its status, as the contract asks for."""
    details = trailers(error_info("MOON_IS_FULL"))
    error = error_of(fake, grpc.StatusCode.FAILED_PRECONDITION, "not tonight", details)
    assert (type(error), error.reason, str(error)) == (PlangateError, "MOON_IS_FULL", "not tonight")


@pytest.mark.parametrize(
    "broken",
    [
        (("grpc-status-details-bin", b"\xff\xff\xff"),),
        trailers(Packed(type_url=ERROR_INFO, value=b"\xff\xff\xff")),
    ],
    ids=["status", "detail"],
)
def test_details_that_cannot_be_decoded_are_left_out(fake: FakeGate, broken: Trailers) -> None:
    """Broken details cost the reason only: the status and the words still arrive."""
    error = error_of(fake, grpc.StatusCode.NOT_FOUND, "no such plan", broken)
    assert (error.code, str(error), error.reason) == (grpc.StatusCode.NOT_FOUND, "no such plan", "")


def test_a_stream_that_is_refused_says_why(fake: FakeGate) -> None:
    """Streams raise what single calls raise."""
    waiting = fake.called(lambda client: client.wait(Plan(plan_uri="plangate://plans/1")))
    details = trailers(error_info("PLAN_NOT_FOUND", field="plan_uri"))
    fake.refuse("ReviewPlan", grpc.StatusCode.NOT_FOUND, "names no plan", details)
    with pytest.raises(PlangateError, match="names no plan") as caught:
        waiting.result(PATIENCE)
    assert (caught.value.reason, caught.value.field) == ("PLAN_NOT_FOUND", "plan_uri")


def test_no_grpc_error_shows_behind_it(fake: FakeGate) -> None:
    """A traceback shows the gate's words once, not a second time as gRPC's."""
    error = error_of(fake, grpc.StatusCode.NOT_FOUND, "names no plan")
    assert error.__cause__ is None
    assert error.__suppress_context__
