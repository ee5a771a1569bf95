"""What ``plangate doctor`` asks the gate: the port, gRPC, health, versions, clocks, reviewers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Final

import grpc

from plangate._config import Destination, find_destination
from plangate._handshake import explained
from plangate._health import SERVICES, Health, ask_health
from plangate._line import open_channel
from plangate._shown import Metadata, bearer
from plangate._tokens import AGENT, REVIEWER, UNIX, find_token, token_folder
from plangate.cli._checks import Finding, addresses_of, installed
from plangate_proto.agent.v1.access_token_service_pb2 import Role, WhoAmIRequest
from plangate_proto.agent.v1.access_token_service_pb2_grpc import TokenServiceStub
from plangate_proto.agent.v1.plan_service_pb2 import ListPlansRequest
from plangate_proto.agent.v1.plan_service_pb2_grpc import PlanServiceStub

SECONDS: Final = 3.0
"""For each answer."""
CLOCK_SECONDS: Final = 2.0
"""By so much clocks may differ before times on a page begin to mislead."""
RESTART: Final = "it starts, stops, or cannot use its database: look at the server's log"
SILENT: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})


def check_gate(target: str) -> Iterator[Finding]:
    try:
        gate = find_destination(target)
    except ValueError as error:
        yield Finding(False, "TLS", str(error))
        return
    ports = [_check_port(address) for address in addresses_of(gate.address)]
    yield from ports
    if not any(port.good for port in ports):
        return
    with open_channel(gate) as channel:
        try:
            health = ask_health(channel, "", SECONDS)
        except grpc.RpcError as error:
            yield Finding(False, "gRPC", _no_gate(error, gate))
            return
        yield Finding(True, "gRPC", "answers over TLS" if gate.tls else "answers")
        yield from _check_services(channel)
        yield _check_version(health)
        yield _check_clock(health)
        yield from _check_tokens(channel, gate)


def _check_port(target: str) -> Finding:
    host = target.rpartition(":")[0]
    try:
        with _connected(target):
            return Finding(True, "port", f"something listens at {target}")
    except ConnectionRefusedError:
        said = "nothing listens there: start 'plangate serve', or set PLANGATE_TARGET"
    except (socket.gaierror, UnicodeError):
        said = f"nobody knows a machine called {host}: set PLANGATE_TARGET"
    except TimeoutError:
        said = f"no answer in {SECONDS:g} s: is the machine on, or a firewall between?"
    except OSError as error:
        said = f"cannot be reached ({error.strerror or error}): is the network there?"
    return Finding(False, "port", said)


def _connected(target: str) -> socket.socket:
    if not target.startswith(UNIX):
        host, _, port = target.rpartition(":")
        return socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(SECONDS)
    try:
        connection.connect(target.removeprefix(UNIX))
    except OSError:
        connection.close()
        raise
    return connection


def _no_gate(error: grpc.RpcError, gate: Destination) -> str:
    code = _code(error)
    if code in SILENT:
        hangs = f"what listens at {gate.address} does not speak gRPC, or hangs: is it 'plangate serve'?"
        return explained(_details(error), gate) or hangs
    return f"what listens at {gate.address} speaks gRPC and is no gate ({code.name}): set PLANGATE_TARGET"


def _check_services(channel: grpc.Channel) -> Iterator[Finding]:
    for service in SERVICES:
        try:
            serving = ask_health(channel, service, SECONDS).serving
        except grpc.RpcError as error:
            if _code(error) is grpc.StatusCode.NOT_FOUND:
                said = f"{service} is not there: update the server, or set PLANGATE_TARGET to a gate"
            else:
                said = f"{service} does not tell ({_code(error).name}): look at the server's log"
            yield Finding(False, "health", said)
            continue
        yield Finding(serving, "health", f"{service} {'serves' if serving else f'does not serve: {RESTART}'}")


def _check_version(health: Health) -> Finding:
    own = installed("plangate")
    if not health.version:
        return Finding(False, "version", f"the server does not say its own: update it to {own}")
    said = f"the server is {health.version}, this is {own}"
    if health.version.split(".")[:2] != own.split(".")[:2]:
        return Finding(False, "version", f"{said}: install the same on both sides")
    return Finding(True, "version", said)


def _check_clock(health: Health) -> Finding:
    if health.ahead is None:
        return Finding(False, "clock", "the server does not tell its time: update it")
    apart = max(abs(health.ahead) - health.took / 2, 0.0)
    if apart <= CLOCK_SECONDS:
        return Finding(True, "clock", "the server's and ours agree")
    which = "ahead of" if health.ahead > 0 else "behind"
    return Finding(False, "clock", f"the server's is {apart:.0f} s {which} ours: set both by NTP")


def _check_tokens(channel: grpc.Channel, gate: Destination) -> Iterator[Finding]:
    """Who an agent's calls and a person's are made as; and with the person's, who else is there."""
    try:
        tokens = {role: find_token(role, gate) for role in (AGENT, REVIEWER)}
    except ValueError as error:
        yield Finding(False, "token", str(error))
        return
    findings = [_check_token(channel, bearer(whose)) for whose in dict.fromkeys(tokens.values())]
    yield from findings
    if findings[-1].good:
        yield _check_reviewers(channel, bearer(tokens[REVIEWER]))


def _check_token(channel: grpc.Channel, shown: Metadata) -> Finding:
    try:
        me = TokenServiceStub(channel).WhoAmI(WhoAmIRequest(), timeout=SECONDS, metadata=shown)
    except grpc.RpcError as error:
        if _code(error) is grpc.StatusCode.UNAUTHENTICATED:
            said = "there is none that the gate knows: set PLANGATE_TOKEN; those of a gate of yours on this "
            return Finding(False, "token", f"{said}machine are in {token_folder()}")
        return Finding(False, "token", f"the gate does not say who we are ({_code(error).name})")
    role = Role.Name(me.role).removeprefix("ROLE_").lower()
    return Finding(True, "token", f"{role} {me.name}, of {me.person}, in {me.workspace}")


def _check_reviewers(channel: grpc.Channel, shown: Metadata) -> Finding:
    try:
        request = ListPlansRequest(page_size=1)
        page = PlanServiceStub(channel).ListPlans(request, timeout=SECONDS, metadata=shown)
    except grpc.RpcError as error:
        return Finding(False, "reviewers", f"plans cannot be listed ({_code(error).name}): {RESTART}")
    reviewed = [plan for plan in page.plans if plan.HasField("review")]
    if not reviewed:
        return Finding(True, "reviewers", "how many watch is told once there is a plan")
    watching = reviewed[0].review.reviewers_watching
    if not watching:
        return Finding(True, "reviewers", "nobody watches: plans wait until somebody runs 'plangate pending'")
    return Finding(True, "reviewers", f"{watching} {'watches' if watching == 1 else 'watch'}")


def _code(error: grpc.RpcError) -> grpc.StatusCode:
    assert isinstance(error, grpc.Call)
    return error.code()


def _details(error: grpc.RpcError) -> str:
    assert isinstance(error, grpc.Call)
    return error.details() or ""
