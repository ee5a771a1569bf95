"""Server reflection, v1 and v1alpha. The library has only the older; the two differ in their name alone."""

from __future__ import annotations

from typing import Any, Final

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, text_format
from google.protobuf.descriptor import FileDescriptor
from grpc_reflection.v1alpha import reflection, reflection_pb2

OLD: Final = "grpc.reflection.v1alpha"
NEW: Final = "grpc.reflection.v1"
NEW_SERVICE: Final = f"{NEW}.ServerReflection"


class _MethodsToo:
    """The descriptor pool, which also finds the file of a method: grpcurl asks for those by name."""

    def __init__(self) -> None:
        self._pool = descriptor_pool.Default()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:
        try:
            return self._pool.FindFileContainingSymbol(symbol)
        except KeyError:
            return self._pool.FindMethodByName(symbol).containing_service.file


def add_reflection(server: grpc.aio.Server, services: list[str]) -> None:
    """Describe the services, the standard ones included, to whoever asks in either version."""
    _describe_new_version()
    names = [*services, reflection.SERVICE_NAME, NEW_SERVICE]
    servicer = reflection.aio.ReflectionServicer(names, pool=_MethodsToo())
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    for name in (reflection.SERVICE_NAME, NEW_SERVICE):
        methods = {"ServerReflectionInfo": handler}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))


def _describe_new_version() -> None:
    """Make the new version known to the descriptor pool, so that reflection can describe itself."""
    pool = descriptor_pool.Default()
    try:
        pool.FindFileContainingSymbol(NEW_SERVICE)
    except KeyError:
        file = descriptor_pb2.FileDescriptorProto()
        reflection_pb2.DESCRIPTOR.CopyToProto(file)
        renamed = str(file).replace(OLD, NEW).replace("reflection/v1alpha", "reflection/v1")
        pool.AddSerializedFile(
            text_format.Parse(renamed, descriptor_pb2.FileDescriptorProto()).SerializeToString()
        )
