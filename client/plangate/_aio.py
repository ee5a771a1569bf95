"""The client for programs with an event loop: each step of a plan's life is one call that is awaited."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator
from contextlib import aclosing
from dataclasses import fields
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import grpc

from plangate._attempts import Attempts
from plangate._calls import admin, builds, drafts, plans, reviewing, tools
from plangate._calls.builds import BuildFacts
from plangate._calls.drafts import DraftFacts
from plangate._calls.kinds import Pages, Stream, Unary, Until
from plangate._client import DEADLINE_SECONDS
from plangate._line import Line, OnLine, open_aio_channel
from plangate._methods import described
from plangate._tls import FileName
from plangate._tokens import Role
from plangate._watch import Watch
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

P = ParamSpec("P")
Result = TypeVar("Result")
Event = TypeVar("Event")


def _unary(
    describe: Callable[P, Unary[Result]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, Result]]:
    def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> Coroutine[Any, Any, Result]:
        return self._run(describe(*args, **options))

    return described(call, describe)


def _pages(
    describe: Callable[P, Pages[Result]],
) -> Callable[Concatenate[AsyncClient, P], AsyncIterator[Result]]:
    def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> AsyncIterator[Result]:
        return self._turn(describe(*args, **options))

    return described(call, describe)


def _stream(
    describe: Callable[P, Stream[Result]],
) -> Callable[Concatenate[AsyncClient, P], AsyncGenerator[Result, None]]:
    def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> AsyncGenerator[Result, None]:
        return self._follow(describe(*args, **options))

    return described(call, describe)


def _until(
    describe: Callable[P, Until[Event, Result]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, Result]]:
    async def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> Result:
        until = describe(*args, **options)
        async with aclosing(self._follow(until.stream)) as events:
            async for event in events:
                until.outcome.note(event)
        return until.outcome.result()

    return described(call, describe)


def _build(
    describe: Callable[P, Unary[BuildFacts]],
) -> Callable[Concatenate[AsyncClient, P], Building]:
    def build(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> Building:
        return Building(self, describe(*args, **options))

    return described(build, describe)


def _of_build(
    describe: Callable[Concatenate[BuildFacts, P], Unary[Result]],
) -> Callable[Concatenate[AsyncBuild, P], Coroutine[Any, Any, Result]]:
    def call(self: AsyncBuild, /, *args: P.args, **options: P.kwargs) -> Coroutine[Any, Any, Result]:
        return self._client._run(describe(self, *args, **options))

    return described(call, describe, on="build")


def _draft(describe: Callable[P, DraftFacts]) -> Callable[Concatenate[AsyncClient, P], AsyncDraft]:
    def draft(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> AsyncDraft:
        return AsyncDraft(self, describe(*args, **options))

    return described(draft, describe)


def _of_draft(
    describe: Callable[Concatenate[DraftFacts, P], Unary[Plan]],
) -> Callable[Concatenate[AsyncDraft, P], Coroutine[Any, Any, Plan]]:
    async def submit(self: AsyncDraft, /, *args: P.args, **options: P.kwargs) -> Plan:
        await self._end()
        return await self._client._run(describe(self.facts, *args, **options))

    return described(submit, describe, on="draft")


class AsyncClient:
    """A connection to a gate, like Client, for one event loop: everything that asks the gate is awaited.

    Lists and streams are read with ``async for``. Cancelling a task ends its call, and nothing else.
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
        channel: grpc.aio.Channel | None = None,
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
        self._connection = Connection(channel)
        self._timeout = timeout
        self.target = self._line.gate.target

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection and every open stream."""
        await self._connection.close()

    @property
    def agent_id(self) -> str:
        """What the agent is called that makes the calls of this client; empty if it is a person's."""
        return self._line.names.own

    def within(self, seconds: float) -> Self:
        """The same connection, whose calls have this long: ``await gate.within(2).get_plan(uri)``."""
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

    async def _run(self, call: Unary[Result]) -> Result:
        line, channel = self._line, self._connection.channel(self._line)
        make = channel.stream_unary if call.in_a_stream else channel.unary_unary
        method, request = (
            line.method(call.method, make),
            line.signed(call.method, call.request, call.nameless),
        )
        attempts = Attempts(call.timeout or self._timeout, repeatable=call.repeatable)
        while True:
            try:
                answer = await method(
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
            await asyncio.sleep(delay)

    async def _turn(self, pages: Pages[Result]) -> AsyncIterator[Result]:
        while True:
            page = await self._run(Unary(pages.method, pages.request, lambda answer: answer))
            for item in pages.read(page):
                yield item
            if not pages.turn(page):
                return

    async def _follow(self, stream: Stream[Result]) -> AsyncGenerator[Result, None]:
        line = self._line
        method = line.method(stream.method, self._connection.channel(line).unary_stream)
        watch = Watch(stream._replace(request=line.signed(stream.method, stream.request)), stream.timeout)
        while True:
            call: Any = method(
                watch.request, timeout=watch.attempts.left(), metadata=line.metadata(stream.method.role)
            )
            try:
                async for response in call:
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
            await asyncio.sleep(delay)

    def _explained(self, error: grpc.RpcError) -> PlangateError:
        is_closed = self._connection.is_closed
        problem = self._line.explained(error, is_closed=is_closed)
        if is_closed:
            raise problem from None  # whoever closed the connection does not want it again
        return problem


class Connection:
    """The channel, opened by the first call: a client can be made before its loop runs."""

    def __init__(self, channel: grpc.aio.Channel | None) -> None:
        self._channel = channel
        self.is_closed = False

    def channel(self, line: Line) -> grpc.aio.Channel:
        if self._channel is None:
            self._channel = open_aio_channel(line.gate)
        return self._channel

    async def close(self) -> None:
        self.is_closed = True
        if self._channel is not None:
            await self._channel.close()


class AsyncBuild(BuildFacts):
    """A build under way. As a context manager it is finished at the end, or failed by an exception."""

    def __init__(self, client: AsyncClient, facts: BuildFacts) -> None:
        super().__init__(*(getattr(facts, each.name) for each in fields(facts)))
        self._client = client

    start = _of_build(builds.start)
    done = _of_build(builds.done)
    cancel = _of_build(builds.cancel)
    renew = _of_build(builds.renew)
    finish = _of_build(builds.finish)
    fail = _of_build(builds.fail)

    async def _leave(self, error: BaseException | None) -> None:
        if self.ended:
            return
        if error is None:
            await self.finish()
            return
        try:
            await self.fail(builds.summary_of(error))
        except PlangateError as problem:
            error.add_note(f"and the gate could not be told that the build failed: {problem}")


class Building:
    """A build to be: ``await`` it, or enter it with ``async with``."""

    def __init__(self, client: AsyncClient, call: Unary[BuildFacts]) -> None:
        self._client = client
        self._call = call
        self._build: AsyncBuild | None = None

    def __await__(self) -> Generator[Any, None, AsyncBuild]:
        return self._begin().__await__()

    async def __aenter__(self) -> AsyncBuild:
        self._build = await self._begin()
        return self._build

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._build is not None:
            await self._build._leave(error)

    async def _begin(self) -> AsyncBuild:
        return AsyncBuild(self._client, await self._client._run(self._call))


class AsyncDraft:
    """A plan that is being written. Nobody is asked before ``submit``."""

    def __init__(self, client: AsyncClient, facts: DraftFacts) -> None:
        self.facts = facts
        self._client = client
        self._call: Any = None

    submit = _of_draft(drafts.submit)

    async def write(self, more: str) -> None:
        """Add to the text; people who watch see it at once."""
        if self._call is None:
            line = self._client._line
            method = line.method(drafts.DRAFT, self._client._connection.channel(line).stream_unary)
            self._call = method(metadata=line.metadata(drafts.DRAFT.role))
        try:
            await self._call.write(self._client._line.signed(drafts.DRAFT, self.facts.grown(more)))
        except (grpc.RpcError, asyncio.InvalidStateError):
            return  # what the gate did not get is in the message that submits the draft

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def _end(self) -> None:
        """Nothing more is written."""
        if self._call is None:
            return
        call, self._call = self._call, None
        try:
            async with asyncio.timeout(self._client._timeout):
                await call.done_writing()
                self.facts.plan_uri = (await call).plan.plan_uri
                self._client._line.names.note(self.facts.plan_uri, self.facts.agent_id)
        except (grpc.RpcError, asyncio.InvalidStateError, TimeoutError):
            call.cancel()
