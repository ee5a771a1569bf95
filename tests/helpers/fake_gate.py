"""The far end of a client's channel: takes the client's calls one by one and answers as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import grpc
import grpc_testing  # type: ignore[import-untyped]
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from plangate import Client
from plangate_proto.agent.v1 import access_token_service_pb2, plan_service_pb2
from plangate_proto.aiserver.v1 import plan_review_service_pb2
from tests.helpers.conditions import PATIENCE, look_until

Result = TypeVar("Result")
Trailers = tuple[tuple[str, bytes], ...]


TARGET = "gate.test:50061"

_SERVICES = (
    plan_service_pb2.DESCRIPTOR.services_by_name["PlanService"],
    plan_review_service_pb2.DESCRIPTOR.services_by_name["PlanReviewService"],
    access_token_service_pb2.DESCRIPTOR.services_by_name["TokenService"],
)
_METHODS = {method.name: method for service in reversed(_SERVICES) for method in service.methods}


class FakeGate:
    """A gate without a server. ``deadlines`` has the seconds that each call was given, or None."""

    def __init__(self, *, agent_id: str | None = "") -> None:
        self.deadlines: list[float | None] = []
        self._channel = grpc_testing.channel(_SERVICES, grpc_testing.strict_real_time())
        # The testing channel forgets the deadline of a call, so it is noted on the way in.
        for kind in ("unary_unary", "unary_stream"):
            setattr(self._channel, kind, self._noting(getattr(self._channel, kind)))
        self.client = Client(TARGET, channel=self._channel, agent_id=agent_id)

    def called(self, call: Callable[[Client], Result]) -> Future[Result]:
        """Let the client make a call, which ends when the gate has answered."""
        return _in_background(lambda: call(self.client))

    def answer(self, method: str, response: Message) -> Any:
        """Take the client's next call of the method and answer it; gives the request as it was sent."""
        request, call = self._take(_METHODS[method])
        call.terminate(response, (), grpc.StatusCode.OK, "")
        return request

    def refuse(self, method: str, code: grpc.StatusCode, message: str = "", trailers: Trailers = ()) -> Any:
        """Take the client's next call of the method and end it with a status other than OK."""
        request, call = self._take(_METHODS[method])
        ending = (trailers, code, message)
        if _METHODS[method].server_streaming:
            call.terminate(*ending)
        else:
            call.terminate(None, *ending)
        return request

    def cut_off(self, method: str, code: grpc.StatusCode, *responses: Message) -> Any:
        """Take the client's next call of the method, stream the answers and break off; gives the request."""
        request, call = self._take(_METHODS[method])
        for response in responses:
            call.send_response(response)
        # A break would take with it what the client has not read yet.
        look_until(lambda: not call._rpc_state._responses)
        call.terminate((), code, "")
        return request

    def stream(self, method: str, *responses: Message) -> Any:
        """Take the client's next call of the method and stream the answers; gives the request."""
        request, call = self._take(_METHODS[method])
        for response in responses:
            call.send_response(response)
        call.terminate((), grpc.StatusCode.OK, "")
        return request

    def _take(self, method: MethodDescriptor) -> tuple[Any, Any]:
        take = self._channel.take_unary_stream if method.server_streaming else self._channel.take_unary_unary
        _, request, call = _in_background(lambda: take(method)).result(PATIENCE)
        sent = type(request)()
        sent.CopyFrom(request)
        return sent, call

    def _noting(self, make: Callable[..., Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
        def made(*arguments: Any, **options: Any) -> Callable[..., Any]:
            call = make(*arguments, **options)

            def noted(request: Message, timeout: float | None = None, metadata: Any = None) -> Any:
                self.deadlines.append(timeout)
                return call(request, timeout, metadata)

            return noted

        return made


def _in_background(work: Callable[[], Result]) -> Future[Result]:
    """Both ends of the channel block. A daemon thread lets a test that waits in vain fail, not hang."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # whoever asks for the result gets it
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
