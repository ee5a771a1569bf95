"""agent.v1.ApprovalService."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from plangate_proto.agent.v1 import tool_approval_service_pb2 as pb
from plangate_proto.agent.v1.tool_approval_service_pb2_grpc import ApprovalServiceServicer
from plangate_server.domain import limits
from plangate_server.domain.approvals import Approval, ApprovalState
from plangate_server.domain.identity import DECIDERS
from plangate_server.domain.remembering import refusal_of, suggested_pattern
from plangate_server.ports import ApprovalFilter, World
from plangate_server.rpc import requests, session_requests
from plangate_server.rpc.principal import calling
from plangate_server.rpc.running import Context
from plangate_server.rpc.session_messages import (
    approval_message,
    prompt_message,
    remembered_message,
    restored_message,
    standing_message,
)
from plangate_server.rpc.streaming import Encoder
from plangate_server.usecases.cancel_approval import cancel_approval
from plangate_server.usecases.read_approvals import list_approvals
from plangate_server.usecases.remembered import forget_remembered, list_remembered, reset_memory
from plangate_server.usecases.request_approval import request_approval
from plangate_server.usecases.resolve_approval import ResolveApproval, resolve_approval
from plangate_server.usecases.restore_memory import restore_memory
from plangate_server.usecases.sharing import Shared
from plangate_server.usecases.watch_approvals import PromptMoment, watch_approvals


class ApprovalServicer(ApprovalServiceServicer):
    def __init__(self, world: World, encoder: Encoder) -> None:
        self._world = world
        self._prompts: Shared[PromptMoment] = Shared()

    async def RequestApproval(
        self, request: pb.RequestApprovalRequest, context: Context
    ) -> AsyncGenerator[pb.RequestApprovalResponse]:
        standings = request_approval(self._world, calling(), session_requests.approval_of(request))
        async with aclosing(standings):
            async for standing in standings:
                yield standing_message(standing.approval, standing.position)

    async def CancelApproval(
        self, request: pb.CancelApprovalRequest, context: Context
    ) -> pb.CancelApprovalResponse:
        key = requests.request_key("agent.v1.CancelApproval", calling(), request)
        cancelled = await cancel_approval(self._world, calling(), request.session_id, request.call_id, key)
        return pb.CancelApprovalResponse(approval=approval_message(cancelled))

    async def WatchApprovals(
        self, request: pb.WatchApprovalsRequest, context: Context
    ) -> AsyncGenerator[pb.WatchApprovalsResponse]:
        moments = watch_approvals(self._world, calling(), request.session_id, request.cursor, self._prompts)
        async with aclosing(moments):
            async for moment in moments:
                yield self._prompt(moment)

    async def ResolveApproval(
        self, request: pb.ResolveApprovalRequest, context: Context
    ) -> pb.ResolveApprovalResponse:
        command = ResolveApproval(
            session_id=request.session_id,
            call_id=request.call_id,
            authority_token=request.authority_token,
            decision=requests.given(session_requests.DECISIONS, request.decision, "decision"),
            remember=session_requests.remember_of(request),
            feedback_text=request.feedback_text,
            break_glass=request.break_glass_reason,
            key=requests.request_key("agent.v1.ResolveApproval", calling(), request),
        )
        change = await resolve_approval(self._world, calling(), command)
        return pb.ResolveApprovalResponse(
            approval=approval_message(change.approval),
            remembered=remembered_message(change.remembered[0]) if change.remembered else None,
        )

    async def ListApprovals(
        self, request: pb.ListApprovalsRequest, context: Context
    ) -> pb.ListApprovalsResponse:
        states = requests.all_known(session_requests.STATES, request.states, "states")
        waiting = (ApprovalState.QUEUED, ApprovalState.ACTIVE)
        which = ApprovalFilter(request.session_id, states or waiting)
        page, token = await list_approvals(
            self._world, calling(), which, request.page_size, request.page_token
        )
        listed = [approval_message(each.approval, each.position) for each in page]
        return pb.ListApprovalsResponse(approvals=listed, next_page_token=token)

    async def ListRemembered(
        self, request: pb.ListRememberedRequest, context: Context
    ) -> pb.ListRememberedResponse:
        page, token = await list_remembered(
            self._world, calling(), request.session_id, request.page_size, request.page_token
        )
        opened = self._world.policies.current.open_programs
        listed = [remembered_message(each, refusal_of(each, opened)) for each in page]
        return pb.ListRememberedResponse(remembered=listed, next_page_token=token)

    async def ForgetRemembered(
        self, request: pb.ForgetRememberedRequest, context: Context
    ) -> pb.ForgetRememberedResponse:
        key = requests.request_key("agent.v1.ForgetRemembered", calling(), request)
        forgotten = await forget_remembered(self._world, calling(), request.remembered_id, key)
        return pb.ForgetRememberedResponse(remembered=remembered_message(forgotten))

    async def ResetMemory(self, request: pb.ResetMemoryRequest, context: Context) -> pb.ResetMemoryResponse:
        kind = requests.given(session_requests.RESET_KINDS, request.kind, "kind")
        key = requests.request_key("agent.v1.ResetMemory", calling(), request)
        cleared = await reset_memory(self._world, calling(), kind, request.session_id, key)
        return pb.ResetMemoryResponse(cleared=cleared)

    async def RestoreMemory(
        self, request: pb.RestoreMemoryRequest, context: Context
    ) -> pb.RestoreMemoryResponse:
        limits.check_count("remembered", len(request.remembered), "restored", limits.RESTORED)
        found = await restore_memory(
            self._world,
            calling(),
            [
                session_requests.remembered_of(each, f"remembered[{place}]")
                for place, each in enumerate(request.remembered)
            ],
            validate_only=request.validate_only,
            key=requests.request_key("agent.v1.RestoreMemory", calling(), request),
        )
        return restored_message(found)

    def _prompt(self, moment: PromptMoment) -> pb.WatchApprovalsResponse:
        session, principal = moment.session, calling()
        encode, place = self._world.store.cursors.encode, moment.sequence
        may_answer = principal.role in DECIDERS
        return pb.WatchApprovalsResponse(
            cursor="" if place is None else encode(principal.workspace, place),
            prompt=self._prompt_message(moment.prompt, may_answer=may_answer) if moment.prompt else None,
            queue_length=len(session.queue) if session else 0,
            last_decision=approval_message(moment.last_decision) if moment.last_decision else None,
            session_id=session.session_id if session else "",
            checkpoint=session is None,
        )

    def _prompt_message(self, prompt: Approval, *, may_answer: bool) -> pb.ApprovalPrompt:
        opened = self._world.policies.current.open_programs
        pattern = suggested_pattern(prompt.kind, prompt.tool, prompt.command, opened)
        return prompt_message(prompt, pattern, may_answer=may_answer)
