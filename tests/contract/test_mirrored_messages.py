"""The mirrored messages are those of the original, field for field."""

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

from tests.contract import mirrored_schema
from tests.contract.mirrored_schema import Field, Label
from tests.helpers import descriptors


def _label(field: FieldDescriptorProto) -> Label:
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return "repeated"
    return "optional" if field.proto3_optional else "singular"


def _fields(message: DescriptorProto) -> list[Field]:
    return [
        Field(
            number=field.number,
            name=field.name,
            type=descriptors.type_name(field),
            label=_label(field),
            # An optional field sits in a oneof of its own that no proto file shows.
            oneof=message.oneof_decl[field.oneof_index].name
            if field.HasField("oneof_index") and not field.proto3_optional
            else None,
        )
        for field in sorted(message.field, key=lambda field: field.number)
    ]


def _default_json_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@pytest.mark.parametrize("name", mirrored_schema.MESSAGES)
def test_message_has_exactly_the_original_fields(name: str) -> None:
    """A mirrored message has the original's fields and oneofs, no field more and none less."""
    assert _fields(descriptors.message_proto(name)) == list(mirrored_schema.MESSAGES[name])


@pytest.mark.parametrize("name", mirrored_schema.MESSAGES)
def test_message_reserves_nothing_and_takes_no_extensions(name: str) -> None:
    """Nothing of ours hides in a mirrored message beside its fields."""
    message = descriptors.message_proto(name)
    assert not message.reserved_range
    assert not message.reserved_name
    assert not message.extension_range
    assert not message.options.ListFields()


@pytest.mark.parametrize("name", mirrored_schema.MESSAGES)
def test_fields_keep_the_default_json_names(name: str) -> None:
    """The JSON form of a mirrored message is the one that every protobuf library derives."""
    names = {field.name: field.json_name for field in descriptors.message_descriptor(name).fields}
    assert names == {field: _default_json_name(field) for field in names}


@pytest.mark.parametrize("name", mirrored_schema.MESSAGES)
def test_fields_carry_no_options(name: str) -> None:
    """No option changes the encoding of a mirrored field, so lists of enums stay packed."""
    assert not [field.name for field in descriptors.message_proto(name).field if field.options.ListFields()]


@pytest.mark.parametrize("name", mirrored_schema.ENUMS)
def test_enum_has_exactly_the_original_values(name: str) -> None:
    """A mirrored enum has the names and numbers that the table lists and no others."""
    assert descriptors.enum_values(name) == mirrored_schema.ENUMS[name]


def test_create_plan_is_tool_43() -> None:
    """The plan tool's number is 43, the one that the wire of the original carries."""
    tools = descriptors.enum_values("aiserver.v1.ClientSideToolV2")
    assert tools["CLIENT_SIDE_TOOL_V2_CREATE_PLAN"] == 43


def test_mirrored_files_define_only_what_the_table_lists() -> None:
    """Every message and enum of the mirrored files is in the table, and the other way round."""
    files = [descriptors.FILES[path] for path in mirrored_schema.FILES]
    messages = [message for file in files for message in descriptors.messages_of(file)]
    enums = [enum for file in files for enum in file.enum_types_by_name.values()]
    enums += [enum for message in messages for enum in message.enum_types]
    assert {message.full_name for message in messages} == set(mirrored_schema.MESSAGES)
    assert {enum.full_name for enum in enums} == set(mirrored_schema.ENUMS)


@pytest.mark.parametrize("path", mirrored_schema.FILES)
def test_mirrored_files_import_nothing_of_ours(path: str) -> None:
    """A mirrored file is proto3, has no service and imports mirrored files only."""
    file = FileDescriptorProto()
    descriptors.FILES[path].CopyToProto(file)
    assert file.syntax == "proto3"
    assert not file.service
    assert set(file.dependency) <= set(mirrored_schema.FILES)
