"""What a client of the original sends and reads, byte by byte."""

import pytest
from google.protobuf.duration_pb2 import Duration
from hypothesis import given
from hypothesis import strategies as st

from plangate_proto.agent.v1 import (
    create_plan_tool_pb2,
    plan_resource_pb2,
    plan_service_pb2,
    review_resource_pb2,
    todo_tools_pb2,
)
from tests.contract.golden_bytes import GOLDEN
from tests.contract.mirrored_schema import MESSAGES
from tests.contract.plain_messages import plain, plain_messages
from tests.contract.wire_encoder import Plain, bytes_field, encode, varint_field
from tests.helpers.descriptors import message_class
from tests.helpers.profiles import examples


def filled_args() -> create_plan_tool_pb2.CreatePlanArgs:
    todo = todo_tools_pb2.TodoItem(
        id="a",
        content="Write the test",
        status=todo_tools_pb2.TODO_STATUS_PENDING,
        created_at=1_700_000_000_000,
        updated_at=1_700_000_000_001,
        dependencies=["b"],
    )
    return create_plan_tool_pb2.CreatePlanArgs(
        plan="# Plan\n\nGrüße, 世界",
        todos=[todo, todo_tools_pb2.TodoItem(id="b", content="Read the code")],
        overview="Two todos",
        name="Plan",
        is_project=True,
        phases=[create_plan_tool_pb2.Phase(name="first", todos=[todo])],
    )


def filled_response() -> plan_service_pb2.CreatePlanResponse:
    return plan_service_pb2.CreatePlanResponse(
        result=create_plan_tool_pb2.CreatePlanResult(
            success=create_plan_tool_pb2.CreatePlanSuccess(), plan_uri="plan-uri"
        ),
        plan=plan_resource_pb2.Plan(plan_uri="plan-uri", name="Plan", revision=1),
        reviewers_watching=2,
    )


def test_a_query_of_the_original_is_a_valid_request() -> None:
    """The bytes of a CreatePlanRequestQuery are a CreatePlanRequest with equal contents."""
    query = create_plan_tool_pb2.CreatePlanRequestQuery(args=filled_args(), tool_call_id="call-1")
    request = plan_service_pb2.CreatePlanRequest.FromString(query.SerializeToString())
    assert request.args == query.args
    assert request.tool_call_id == "call-1"
    assert {field.name for field, _ in request.ListFields()} == {"args", "tool_call_id"}
    assert request.SerializeToString() == query.SerializeToString()


def test_our_request_is_readable_as_a_query_of_the_original() -> None:
    """A CreatePlanRequest with our own fields reads as a CreatePlanRequestQuery without loss."""
    request = plan_service_pb2.CreatePlanRequest(
        args=filled_args(),
        tool_call_id="call-1",
        session_id="session-1",
        review=review_resource_pb2.ReviewOptions(expires_after=Duration(seconds=60)),
        multi_plan=False,
    )
    query = create_plan_tool_pb2.CreatePlanRequestQuery.FromString(request.SerializeToString())
    assert query.args == request.args
    assert query.tool_call_id == request.tool_call_id
    assert query.SerializeToString() == request.SerializeToString()


def test_our_response_is_readable_as_the_answer_of_the_original() -> None:
    """The bytes of a CreatePlanResponse are a CreatePlanRequestResponse with an equal result."""
    response = filled_response()
    answer = create_plan_tool_pb2.CreatePlanRequestResponse.FromString(response.SerializeToString())
    assert answer.result == response.result
    assert answer.result.WhichOneof("result") == "success"
    assert answer.SerializeToString() == response.SerializeToString()


def test_an_answer_of_the_original_is_a_valid_response() -> None:
    """The bytes of a CreatePlanRequestResponse are a CreatePlanResponse without our fields."""
    answer = create_plan_tool_pb2.CreatePlanRequestResponse(result=filled_response().result)
    response = plan_service_pb2.CreatePlanResponse.FromString(answer.SerializeToString())
    assert response == plan_service_pb2.CreatePlanResponse(result=answer.result)


def test_every_mirrored_message_has_an_example() -> None:
    """No mirrored message goes without an example in bytes."""
    assert GOLDEN.keys() == MESSAGES.keys()


@pytest.mark.parametrize("name", MESSAGES)
def test_bytes_of_the_original_decode_and_encode_alike(name: str) -> None:
    """Bytes put together by hand decode to their meaning and encode to the same bytes."""
    encoded, meaning = GOLDEN[name]
    message = message_class(name).FromString(encoded)
    assert plain(name, message) == meaning
    assert message.SerializeToString() == encoded


@pytest.mark.parametrize("name", MESSAGES)
def test_examples_set_every_field_or_a_oneof(name: str) -> None:
    """An example leaves no field of its message out, save the members of a oneof not chosen."""
    left_out = {field for field in MESSAGES[name] if field.name not in GOLDEN[name][1]}
    assert all(field.oneof for field in left_out)


@pytest.mark.parametrize("name", MESSAGES)
def test_the_independent_encoder_writes_the_examples(name: str) -> None:
    """The encoder of these tests writes the very bytes that were put together by hand."""
    encoded, meaning = GOLDEN[name]
    assert encode(name, meaning) == encoded


@pytest.mark.parametrize("name", MESSAGES)
@given(data=st.data())
# No clock decides: a busy machine is no reason to fail.
@examples(40)
def test_any_mirrored_message_survives_the_round_trip(name: str, data: st.DataObject) -> None:
    """What a client of the original encodes keeps its values and, encoded again, its bytes."""
    value: Plain = data.draw(plain_messages(name))
    encoded = encode(name, value)
    message = message_class(name).FromString(encoded)
    assert plain(name, message) == value
    assert message.SerializeToString() == encoded


@pytest.mark.parametrize("name", MESSAGES)
def test_fields_of_a_newer_original_survive(name: str) -> None:
    """Fields that a newer original adds to any mirrored message are kept and passed on."""
    encoded, meaning = GOLDEN[name]
    newer = encoded + bytes_field(90, b"new") + varint_field(1000, 7)
    message = message_class(name).FromString(newer)
    assert plain(name, message) == meaning
    assert message.SerializeToString() == newer


def test_fields_of_a_newer_original_survive_inside_a_request() -> None:
    """A new field deep inside a query of the original is still there in our request."""
    todo = GOLDEN["agent.v1.TodoItem"][0] + bytes_field(90, b"new")
    encoded = bytes_field(1, bytes_field(2, todo)) + bytes_field(2, b"call")
    request = plan_service_pb2.CreatePlanRequest.FromString(encoded)
    assert request.args.todos[0].id == "a"
    assert request.SerializeToString() == encoded


def test_statuses_of_a_newer_original_survive() -> None:
    """A status number that the enum does not know yet is kept, alone and in a packed list."""
    todo = varint_field(3, 99)
    args = bytes_field(1, b"\x01\x63\x03")
    assert todo_tools_pb2.TodoItem.FromString(todo).SerializeToString() == todo
    assert todo_tools_pb2.ReadTodosArgs.FromString(args).SerializeToString() == args


def test_an_unpacked_status_filter_is_understood() -> None:
    """An encoder that does not pack lists of enums is understood all the same."""
    encoded = varint_field(1, 1) + varint_field(1, 4)
    assert list(todo_tools_pb2.ReadTodosArgs.FromString(encoded).status_filter) == [1, 4]


def test_an_empty_optional_text_is_not_an_absent_one() -> None:
    """A choice with an empty sublabel and one without a sublabel stay different on the wire."""
    choice = message_class("aiserver.v1.PlanChoice")
    assert choice.FromString(bytes_field(2, b"")).SerializeToString() == b"\x12\x00"
    assert not choice.FromString(b"").HasField("sublabel")
