"""The line to a gate: where it leads, what calls over it show, and whether anybody ever answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import grpc

from plangate._agent import Names, find_agent_id
from plangate._calls.drafts import DRAFT
from plangate._calls.kinds import Method
from plangate._calls.plans import CREATE, UPDATE
from plangate._config import Destination, find_destination, find_target
from plangate._errors import from_rpc
from plangate._shown import Metadata, bearer, trace
from plangate._tls import FileName
from plangate._tokens import AGENT, ROLES, Role, find_token, given_token
from plangate.errors import GateUnreachable, PlangateError, ShuttingDown

OnLine: TypeAlias = Callable[[GateUnreachable | None], None]

PROPOSING: Final = (CREATE, DRAFT, UPDATE)
PING_SECONDS: Final = 60
"""A connection that is silent for so long is asked whether it is still there; a gate allows more."""
OPTIONS: Final = (
    # A proxy for the web is no way to a gate.
    ("grpc.enable_http_proxy", 0),
    # Twice what an entry of the log can take at most, when a draft is full of control characters.
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    # Or somebody who waits would not notice that the other machine is gone.
    ("grpc.keepalive_time_ms", PING_SECONDS * 1000),
    ("grpc.keepalive_timeout_ms", 20 * 1000),
    # A gate that restarts is back in seconds; gRPC by itself would look again after up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 3000),
)


class Line:
    """Everything about a connection that does not depend on how calls are waited for."""

    def __init__(
        self,
        target: str | None,
        files: tuple[FileName | None, FileName | None, FileName | None],
        token: str | None,
        role: Role | None = None,
        agent_id: str | None = None,
        *,
        has_own_channel: bool,
        on_line: OnLine | None = None,
    ) -> None:
        if not has_own_channel:
            self.gate = find_destination(target, *files)
            tokens = {role: find_token(role, self.gate, token) for role in ROLES}
        elif files != (None, None, None):
            raise ValueError("a channel of your own has its own TLS: leave out ca, cert and key")
        else:
            self.gate = Destination(target or find_target())
            # Nobody knows where it leads, so what a server left on this machine is not for it.
            tokens = dict.fromkeys(ROLES, given_token(token))
        if role not in (None, *ROLES):
            raise ValueError(f"the role {role!r} is none of {', '.join(ROLES)}")
        self._least = ROLES.index(role or AGENT)
        self.names = Names(find_agent_id(agent_id, role))
        self._assumed = self.names.own if agent_id is None else ""
        self._shown = {role: bearer(found) for role, found in tokens.items()}
        self.was_reached = False
        self._on_line = on_line
        self._is_lost = False
        self._telling = threading.Lock()
        self._callables: dict[str, Any] = {}

    def metadata(self, role: str) -> Metadata:
        """The token, and what the call is a part of."""
        shown = ROLES[max(ROLES.index(role), self._least)]
        return (*self._shown[shown], *trace())

    def signed(self, method: Method[Any], request: Any, nameless: str = "") -> Any:
        """The request, with the name of the agent that makes it."""
        if method.by_agent and not request.agent_id:
            request.agent_id = self.names.for_plan(getattr(request, "plan_uri", "")) or nameless
        return request

    def note(self, method: Method[Any], request: Any, answer: Any) -> None:
        """Under which name a plan was proposed."""
        if method in PROPOSING:
            self.names.note(answer.plan.plan_uri, request.agent_id)

    def is_a_persons(self, method: Method[Any], request: Any, problem: PlangateError) -> bool:
        """Whether an edit was refused because its token is a reviewer's: it is made again without a name.

        A token does not say whose it is, and only a person's edit has no agent.
        """
        if method is not UPDATE or problem.reason != "INVALID_FIELD" or problem.field != "agent_id":
            return False
        if not self._assumed or request.agent_id != self._assumed:
            return False
        self.names.own = request.agent_id = ""
        return True

    def method(self, method: Method[Any], make: Callable[..., Any]) -> Any:
        """What makes calls of the method; ``make`` is the channel's, for the method's shape."""
        found = self._callables.get(method.path)
        if found is None:
            found = self._callables[method.path] = make(
                method.path,
                request_serializer=_serialized,
                response_deserializer=method.answer.FromString,
            )
        return found

    def explained(self, error: grpc.RpcError, *, is_closed: bool) -> PlangateError:
        """The exception for a failed call; nobody is told of calls that ended because we closed the line."""
        problem = from_rpc(error, self.gate)
        self.was_reached = self.was_reached or bool(problem.reason)
        if is_closed:
            return problem
        if away := self._away(problem):
            self._tell(away)
        elif problem.reason:
            self.reached()
        return problem

    def _away(self, problem: PlangateError) -> GateUnreachable | None:
        """What to tell if the gate is gone or goes: one that stops says so itself, and may be back before
        anybody finds it gone.
        """
        if isinstance(problem, GateUnreachable):
            return problem
        was_cut_off = problem.code is grpc.StatusCode.CANCELLED and not problem.reason
        if isinstance(problem, ShuttingDown) or was_cut_off:
            return GateUnreachable(f"the gate at {self.gate.target} ended the connection", code=problem.code)
        return None

    def reached(self) -> None:
        """The gate answered."""
        self.was_reached = True
        if self._is_lost:
            self._tell(None)

    def _tell(self, problem: GateUnreachable | None) -> None:
        """Once for each change, however many calls notice it."""
        with self._telling:
            if self._is_lost == (problem is not None):
                return
            self._is_lost = problem is not None
            if self._on_line is not None:
                self._on_line(problem)


def open_channel(gate: Destination) -> grpc.Channel:
    """A connection to be made when it is first used."""
    if gate.tls is None:
        return grpc.insecure_channel(gate.address, OPTIONS)
    tls = grpc.ssl_channel_credentials(gate.tls.roots, gate.tls.key, gate.tls.chain)
    return grpc.secure_channel(gate.address, tls, OPTIONS)


def open_aio_channel(gate: Destination) -> grpc.aio.Channel:
    """The same for a program with an event loop, in which it must be called."""
    if gate.tls is None:
        return grpc.aio.insecure_channel(gate.address, OPTIONS)
    tls = grpc.ssl_channel_credentials(gate.tls.roots, gate.tls.key, gate.tls.chain)
    return grpc.aio.secure_channel(gate.address, tls, OPTIONS)


def _serialized(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data
