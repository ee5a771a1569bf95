"""Asks any method of the gate over gRPC, and gives the first message of its answer."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tests.helpers.base_requests import Ask
from tests.helpers.identities import first_answer, showing
from tests.helpers.raw_calls import method_named
from tests.helpers.tokens import local_token


def asker(channel: grpc.aio.Channel) -> Ask:
    """The channel itself shows no token."""

    async def ask(role: str, path: str, request: Message) -> Any:
        data = await first_answer(channel, path, request.SerializeToString(), showing(local_token(role)))
        return GetMessageClass(method_named(path).output_type).FromString(data)

    return ask
