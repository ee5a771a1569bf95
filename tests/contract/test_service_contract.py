"""Our own services and messages have the names that clients were promised."""

import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

from tests.contract import own_schema
from tests.helpers import descriptors

WELL_KNOWN = {"Duration", "Struct", "Timestamp"}
SCALARS = {"bool", "int32", "int64", "string"}
FIRST_NUMBER_OF_OURS = 10

RPC_NAMES = [(service, rpc) for service, rpcs in own_schema.RPCS.items() for rpc in rpcs]
METHODS = [method for service in descriptors.services().values() for method in service.methods]


def _streaming(method: MethodDescriptor) -> str:
    kinds = {
        (False, False): "unary",
        (True, False): "client streaming",
        (False, True): "server streaming",
        (True, True): "bidirectional",
    }
    return kinds[method.client_streaming, method.server_streaming]


def _full_name(type_: str, package: str) -> str:
    if type_.startswith("map<string, "):
        return f"map<string, {_full_name(type_[12:-1], package)}>"
    if type_ in SCALARS or type_.startswith(("agent.v1.", "aiserver.v1.")):
        return type_
    return f"google.protobuf.{type_}" if type_ in WELL_KNOWN else f"{package}.{type_}"


def _promised_fields(message: str) -> dict[str, str]:
    package = ".".join(message.split(".")[:2])
    fields = {}
    for declaration in own_schema.FIELDS[message].split(";"):
        type_, name = declaration.strip().rsplit(maxsplit=1)
        label = next((word for word in ("repeated ", "optional ") if type_.startswith(word)), "")
        fields[name] = label + _full_name(type_.removeprefix(label), package)
    return fields


def _declared_type(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    type_ = descriptors.type_name(field)
    for entry in message.nested_type:
        if entry.options.map_entry and type_.endswith(f".{entry.name}"):
            return "map<{}, {}>".format(*(descriptors.type_name(part) for part in entry.field))
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {type_}"
    return f"optional {type_}" if field.proto3_optional else type_


@pytest.mark.parametrize(("service", "rpc"), RPC_NAMES)
def test_rpc_exists_with_its_streaming_kind(service: str, rpc: str) -> None:
    """Every promised RPC is in its service and streams in the promised direction."""
    methods = descriptors.services()[service].methods_by_name
    assert rpc in methods
    assert _streaming(methods[rpc]) == own_schema.RPCS[service][rpc]


def test_there_are_no_other_services() -> None:
    """Every service that the protos define is one that the table promises."""
    assert descriptors.services().keys() == own_schema.RPCS.keys()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method.full_name))
def test_rpc_has_its_own_request_and_response(method: MethodDescriptor) -> None:
    """No RPC shares its request or response message with another."""
    package = method.containing_service.file.package
    assert method.input_type.full_name == f"{package}.{method.name}Request"
    assert method.output_type.full_name == f"{package}.{method.name}Response"


@pytest.mark.parametrize("message", own_schema.FIELDS)
def test_message_has_the_promised_fields(message: str) -> None:
    """Every promised field is in its message, with the promised type."""
    proto = descriptors.message_proto(message)
    declared = {field.name: _declared_type(field, proto) for field in proto.field}
    promised = _promised_fields(message)
    assert {name: declared.get(name) for name in promised} == promised


@pytest.mark.parametrize("enum", own_schema.ENUM_VALUES)
def test_enum_has_the_promised_values(enum: str) -> None:
    """Every promised value is in its enum under the enum's prefix, and zero means unspecified."""
    prefix, promised = own_schema.ENUM_VALUES[enum]
    values = descriptors.enum_values(enum)
    assert values[f"{prefix}_UNSPECIFIED"] == 0
    assert {f"{prefix}_{name}" for name in promised.split()} <= values.keys()


@pytest.mark.parametrize("message", own_schema.SUPERSETS)
def test_our_fields_of_a_superset_start_at_ten(message: str) -> None:
    """A message around a mirrored one keeps the mirrored numbers; all others are 10 or more."""
    mirrored = own_schema.SUPERSETS[message]
    numbers = {field.name: field.number for field in descriptors.message_proto(message).field}
    assert {name: numbers[name] for name in mirrored} == mirrored
    ours = {name: number for name, number in numbers.items() if name not in mirrored}
    assert all(number >= FIRST_NUMBER_OF_OURS for number in ours.values())


@pytest.mark.parametrize("rpc", ["CreatePlan", "ReviewPlan"])
def test_server_side_streams_carry_an_event_or_the_result(rpc: str) -> None:
    """A message of an aiserver.v1 stream is either a review event or the final result."""
    update = descriptors.message_descriptor(f"aiserver.v1.{rpc}Response").oneofs_by_name["update"]
    assert {field.name for field in update.fields} == {"event", "result"}


def test_choices_of_tool_approvals_are_the_mirrored_choices() -> None:
    """The choices that both packages show to a person are one message on the wire."""
    ours = descriptors.message_proto("agent.v1.PlanChoice")
    assert ours == descriptors.message_proto("aiserver.v1.PlanChoice")
