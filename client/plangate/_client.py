"""The client for programs without an event loop: each step of a plan's life is one call."""

from __future__ import annotations

import copy
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

import grpc

from plangate._attempts import Attempts
from plangate._calls import admin, builds, drafts, plans, reviewing, tools
from plangate._calls.builds import BuildFacts
from plangate._calls.drafts import DraftFacts
from plangate._calls.kinds import Pages, Stream, Unary, Until
from plangate._line import Line, OnLine, open_channel
from plangate._methods import described
from plangate._tls import FileName
from plangate._tokens import Role
from plangate._watch import Watch
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.plan_service_pb2 import DraftPlanRequest

P = ParamSpec("P")
Result = TypeVar("Result")
Event = TypeVar("Event")

DEADLINE_SECONDS: Final = 20.0


def _unary(describe: Callable[P, Unary[Result]]) -> Callable[Concatenate[Client, P], Result]:
    def call(self: Client, /, *args: P.args, **options: P.kwargs) -> Result:
        return self._run(describe(*args, **options))

    return described(call, describe)


def _pages(describe: Callable[P, Pages[Result]]) -> Callable[Concatenate[Client, P], Iterator[Result]]:
    def call(self: Client, /, *args: P.args, **options: P.kwargs) -> Iterator[Result]:
        return self._turn(describe(*args, **options))

    return described(call, describe)


def _stream(describe: Callable[P, Stream[Result]]) -> Callable[Concatenate[Client, P], Iterator[Result]]:
    def call(self: Client, /, *args: P.args, **options: P.kwargs) -> Iterator[Result]:
        return self._follow(describe(*args, **options))

    return described(call, describe)


def _until(describe: Callable[P, Until[Event, Result]]) -> Callable[Concatenate[Client, P], Result]:
    def call(self: Client, /, *args: P.args, **options: P.kwargs) -> Result:
        until = describe(*args, **options)
        for event in self._follow(until.stream):
            until.outcome.note(event)
        return until.outcome.result()

    return described(call, describe)


def _build(describe: Callable[P, Unary[BuildFacts]]) -> Callable[Concatenate[Client, P], Build]:
    def build(self: Client, /, *args: P.args, **options: P.kwargs) -> Build:
        return Build(self, self._run(describe(*args, **options)))

    return described(build, describe)


def _of_build(
    describe: Callable[Concatenate[BuildFacts, P], Unary[Result]],
) -> Callable[Concatenate[Build, P], Result]:
    def call(self: Build, /, *args: P.args, **options: P.kwargs) -> Result:
        return self._client._run(describe(self, *args, **options))

    return described(call, describe, on="build")


def _draft(describe: Callable[P, DraftFacts]) -> Callable[Concatenate[Client, P], Draft]:
    def draft(self: Client, /, *args: P.args, **options: P.kwargs) -> Draft:
        return Draft(self, describe(*args, **options))

    return described(draft, describe)


def _of_draft(
    describe: Callable[Concatenate[DraftFacts, P], Unary[Plan]],
) -> Callable[Concatenate[Draft, P], Plan]:
    def submit(self: Draft, /, *args: P.args, **options: P.kwargs) -> Plan:
        self._end()
        return self._client._run(describe(self.facts, *args, **options))

    return described(submit, describe, on="draft")


class Client:
    """A connection to a gate. Use it as a context manager, or call ``close``. Threads can share it.

    ``target`` is host:port, or https://host:port to speak TLS; left out, PLANGATE_TARGET or the local
    default. ``ca`` is the file of the CA that the gate's certificate must be signed by (PLANGATE_CA; else the
    public ones), ``cert`` and ``key`` are the files of a client certificate, if the gate asks for one
    (PLANGATE_CERT, PLANGATE_KEY). Naming any of them means TLS, too. ``token`` shows who calls
    (PLANGATE_TOKEN); left out, an agent's calls and a person's find the tokens that a server of this user
    left on this machine. ``role`` is the least as whom any call is made where such tokens are found: for a
    "reviewer", also those calls that agents make are a person's.

    Every call ends within ``timeout`` seconds, retries included, but for those that wait for people.
    ``within`` gives other times to single calls.

    ``agent_id`` names the agent that proposes, waits and builds with this client (PLANGATE_AGENT_ID). Whose a
    plan is, its name and its token tell: so it must be the same when the agent starts again, and another for
    each agent of a session. Left out, it is made of the program's name and place and of the machine's name.
    An empty one, like a client with the role of a person, names nobody.

    ``on_line`` is told when the gate does not answer any more, with the GateUnreachable, and with None when
    it does again. Nothing has to be done then: calls and streams that can go on do so by themselves.

    What is wrong with these is a ValueError. Every failed call raises a PlangateError.
    """

    def __init__(
        self,
        target: str | None = None,
        *,
        ca: FileName | None = None,
        cert: FileName | None = None,
        key: FileName | None = None,
        token: str | None = None,
        role: Role | None = None,
        agent_id: str | None = None,
        timeout: float = DEADLINE_SECONDS,
        channel: grpc.Channel | None = None,
        on_line: OnLine | None = None,
    ) -> None:
        self._line = Line(
            target,
            (ca, cert, key),
            token,
            role,
            agent_id,
            has_own_channel=channel is not None,
            on_line=on_line,
        )
        self._channel = channel or open_channel(self._line.gate)
        self._closed = threading.Event()
        self._timeout = timeout
        self.target = self._line.gate.target

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection and every open stream."""
        self._closed.set()
        self._channel.close()

    @property
    def agent_id(self) -> str:
        """What the agent is called that makes the calls of this client; empty if it is a person's."""
        return self._line.names.own

    def within(self, seconds: float) -> Self:
        """The same connection, whose calls have this long: ``gate.within(2).get_plan(uri)``."""
        other = copy.copy(self)
        other._timeout = seconds
        return other

    create_plan = _unary(plans.create_plan)
    draft_plan = _draft(drafts.draft_plan)
    update_plan = _unary(plans.update_plan)
    get_plan = _unary(plans.get_plan)
    list_plans = _pages(plans.list_plans)
    revisions = _pages(plans.revisions)
    diff = _unary(plans.diff)
    events = _stream(plans.events)
    wait = _until(plans.wait)
    acknowledge = _unary(plans.acknowledge)
    comments = _pages(plans.comments)
    withdraw = _unary(plans.withdraw)
    reference = _unary(plans.reference)

    build = _build(builds.build)
    read_todos = _unary(builds.read_todos)
    update_todos = _unary(builds.update_todos)
    finish_build = _unary(builds.finish_build)

    authorize_tool = _unary(tools.authorize_tool)
    request_approval = _until(tools.request_approval)
    cancel_approval = _unary(tools.cancel_approval)
    session = _unary(tools.session)
    sessions = _pages(tools.sessions)
    watch_session = _stream(tools.watch_session)
    set_mode = _unary(tools.set_mode)
    report_event = _unary(tools.report_event)

    reviews = _pages(reviewing.reviews)
    review = _unary(reviewing.review)
    watch = _stream(reviewing.watch)
    decide = _unary(reviewing.decide)
    comment = _unary(reviewing.comment)
    resolve_comment = _unary(reviewing.resolve_comment)
    prompts = _stream(reviewing.prompts)
    answer = _unary(reviewing.answer)
    tool_calls = _pages(reviewing.tool_calls)
    remembered = _pages(reviewing.remembered)
    forget = _unary(reviewing.forget)
    reset_memory = _unary(reviewing.reset_memory)
    restore_memory = _unary(reviewing.restore_memory)
    confirm_full_access = _unary(reviewing.confirm_full_access)

    create_token = _unary(admin.create_token)
    list_tokens = _pages(admin.list_tokens)
    revoke_token = _unary(admin.revoke_token)
    who_am_i = _unary(admin.who_am_i)
    history = _pages(admin.history)
    audit_entries = _pages(admin.audit_entries)
    verify_audit = _unary(admin.verify_audit)

    def _run(self, call: Unary[Result]) -> Result:
        line, channel = self._line, self._channel
        make = channel.stream_unary if call.in_a_stream else channel.unary_unary
        method, request = (
            line.method(call.method, make),
            line.signed(call.method, call.request, call.nameless),
        )
        attempts = Attempts(call.timeout or self._timeout, repeatable=call.repeatable)
        while True:
            try:
                answer = method(
                    iter((request,)) if call.in_a_stream else request,
                    timeout=attempts.left(),
                    metadata=line.metadata(call.method.role),
                )
            except grpc.RpcError as error:
                problem = self._explained(error)
                if line.is_a_persons(call.method, request, problem):
                    continue
                delay = attempts.delay_after(problem, was_reached=line.was_reached)
            else:
                line.reached()
                line.note(call.method, request, answer)
                return call.read(answer)
            self._closed.wait(delay)

    def _turn(self, pages: Pages[Result]) -> Iterator[Result]:
        while True:
            page = self._run(Unary(pages.method, pages.request, lambda answer: answer))
            yield from pages.read(page)
            if not pages.turn(page):
                return

    def _follow(self, stream: Stream[Result]) -> Iterator[Result]:
        line = self._line
        method = line.method(stream.method, self._channel.unary_stream)
        watch = Watch(stream._replace(request=line.signed(stream.method, stream.request)), stream.timeout)
        while True:
            call: Any = method(
                watch.request, timeout=watch.attempts.left(), metadata=line.metadata(stream.method.role)
            )
            try:
                for response in call:
                    line.reached()
                    yield watch.take(response)
            except grpc.RpcError as error:
                delay = watch.delay_after(self._explained(error), was_reached=line.was_reached)
            else:
                return
            finally:
                call.cancel()
            if delay is None:
                return
            self._closed.wait(delay)

    def _explained(self, error: grpc.RpcError) -> PlangateError:
        is_closed = self._closed.is_set()
        problem = self._line.explained(error, is_closed=is_closed)
        if is_closed:
            raise problem from None  # whoever closed the connection does not want it again
        return problem


class Build(BuildFacts):
    """A build under way. As a context manager it is finished at the end, or failed by an exception."""

    def __init__(self, client: Client, facts: BuildFacts) -> None:
        super().__init__(*(getattr(facts, each.name) for each in fields(facts)))
        self._client = client

    start = _of_build(builds.start)
    done = _of_build(builds.done)
    cancel = _of_build(builds.cancel)
    renew = _of_build(builds.renew)
    finish = _of_build(builds.finish)
    fail = _of_build(builds.fail)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self.ended:
            return
        if error is None:
            self.finish()
            return
        try:
            self.fail(builds.summary_of(error))
        except PlangateError as problem:
            error.add_note(f"and the gate could not be told that the build failed: {problem}")


class Draft:
    """A plan that is being written. Nobody is asked before ``submit``."""

    def __init__(self, client: Client, facts: DraftFacts) -> None:
        self.facts = facts
        self._client = client
        self._pieces: queue.SimpleQueue[DraftPlanRequest | None] = queue.SimpleQueue()
        self._call: Any = None

    submit = _of_draft(drafts.submit)

    def write(self, more: str) -> None:
        """Add to the text; people who watch see it at once."""
        if self._call is None:
            line = self._client._line
            method = line.method(drafts.DRAFT, self._client._channel.stream_unary)
            pieces = iter(self._pieces.get, None)
            self._call = method.future(pieces, metadata=line.metadata(drafts.DRAFT.role))
        self._pieces.put(self._client._line.signed(drafts.DRAFT, self.facts.grown(more)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        """Nothing more is written. What the gate did not get is in the message that submits the draft."""
        if self._call is None:
            return
        self._pieces.put(None)
        call, self._call = self._call, None
        try:
            self.facts.plan_uri = call.result(self._client._timeout).plan.plan_uri
            self._client._line.names.note(self.facts.plan_uri, self.facts.agent_id)
        except (grpc.RpcError, grpc.FutureTimeoutError, grpc.FutureCancelledError):
            call.cancel()
