"""Look up what the generated code says about messages, enums and services by their full names."""

import importlib
import pkgutil
from collections.abc import Iterator

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FileDescriptor,
    ServiceDescriptor,
)
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

import plangate_proto


def _load_generated_modules() -> list[FileDescriptor]:
    names = (
        module.name
        for module in pkgutil.walk_packages(plangate_proto.__path__, "plangate_proto.")
        if module.name.endswith("_pb2")
    )
    return [importlib.import_module(name).DESCRIPTOR for name in sorted(names)]


# A name is in the pool only once its module is imported.
FILES: dict[str, FileDescriptor] = {file.name: file for file in _load_generated_modules()}
_POOL = descriptor_pool.Default()


def message_descriptor(name: str) -> Descriptor:
    return _POOL.FindMessageTypeByName(name)


def message_class(name: str) -> type[Message]:
    return GetMessageClass(message_descriptor(name))


def message_proto(name: str) -> DescriptorProto:
    """The message as data: unlike a Descriptor it tells a real oneof from an optional field."""
    proto = DescriptorProto()
    message_descriptor(name).CopyToProto(proto)
    return proto


def enum_values(name: str) -> dict[str, int]:
    enum: EnumDescriptor = _POOL.FindEnumTypeByName(name)
    return {value.name: value.number for value in enum.values}


def services() -> dict[str, ServiceDescriptor]:
    return {
        service.full_name: service for file in FILES.values() for service in file.services_by_name.values()
    }


def messages_of(file: FileDescriptor) -> Iterator[Descriptor]:
    """Every message of a file, nested ones too, without the entry types behind map fields."""
    pending = list(file.message_types_by_name.values())
    while pending:
        message = pending.pop()
        if not message.GetOptions().map_entry:
            yield message
        pending.extend(message.nested_types)


def type_name(field: FieldDescriptorProto) -> str:
    """The type as a proto file would spell it: "string", or the full name of a message or enum."""
    if field.type_name:
        return field.type_name.removeprefix(".")
    return FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
