"""docs/api.md"""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor

from pages.protos import PROTOS, comment_above
from plangate_server.rpc.services import SERVICES, Service


def page() -> str:
    """Every service and method, and which of them this version does."""
    lines = [
        "# API",
        "",
        "<!-- Written by tools/generate_docs.py from protos/ and the server's services. -->",
        "",
        "The reference is the comments in [`protos/`](../protos), which say for each field its unit, its",
        "range and what fails how. Over the wire, reflection gives the same messages to grpcurl and other",
        "tools: see the [cookbook](cookbook.md). What a refusal looks like stands in [errors](errors.md).",
        "How large things may be, and how many, stands in [limits](limits.md).",
        "",
        "Every call but those of `grpc.health.v1` and reflection needs a token or a client certificate:",
        "see [identity](identity.md), and [roles](roles.md) for who may call what.",
    ]
    for service in SERVICES:
        lines += ["", *_service_lines(service)]
    return "\n".join(lines) + "\n"


def _service_lines(service: Service) -> Iterator[str]:
    descriptor = descriptor_pool.Default().FindServiceByName(service.name)
    text = (PROTOS / descriptor.file.name).read_text()
    yield f"## {service.name}"
    yield ""
    yield comment_above(text, f"service {descriptor.name} ")
    yield ""
    yield "| method | streams | does |"
    yield "|---|---|---|"
    for method in descriptor.methods:
        does = comment_above(text, f"  rpc {method.name}(").replace("\n", " ")
        yield f"| `{method.name}` | {_streams(method)} | {does} |"


def _streams(method: MethodDescriptor) -> str:
    sides = {"requests": method.client_streaming, "responses": method.server_streaming}
    return " and ".join(side for side, streams in sides.items() if streams) or "no"
