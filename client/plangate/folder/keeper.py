"""Brings one plan and its file into step: does what ``deciding`` says, in an order that survives any crash.

What is about to be written is remembered before, and that it was written, after. An edit is sent under an id
made of what it says, so that sent again it is the same edit. So the next look, of this process or of another,
finds all that it needs in the folder and at the gate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from plangate._attempts import is_passing
from plangate._client import Client
from plangate.errors import PlangateError, StaleRevision, TimedOut
from plangate.folder.content import args_of, content_of_plan, statuses_of, written
from plangate.folder.deciding import Accept, GateSide, InStep, Leave, Nothing, Send, SetAside, Write, decide
from plangate.folder.files import Changed, Directory, NotAFile, hash_of
from plangate.folder.memory import Memory, Record, checked_id
from plangate.folder.seeing import Seen, free_name, look_at
from plangate.planfile.api import from_plan
from plangate.planfile.names import UnsafeName, checked_name
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState

Tell = Callable[[str, str], None]
"""Says something about a file."""

ENDED: Final = frozenset(
    {
        PlanState.PLAN_STATE_REJECTED,
        PlanState.PLAN_STATE_EXPIRED,
        PlanState.PLAN_STATE_COMPLETED,
        PlanState.PLAN_STATE_FAILED,
        PlanState.PLAN_STATE_WITHDRAWN,
    }
)


@dataclass(slots=True)
class Keeper:
    gate: Client
    folder: Directory
    memory: Memory
    tell: Tell
    _left: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What was said last about a file that was left alone, and what it held."""

    def look(self, plan: Plan) -> None:
        """Bring the plan, as the gate has just told it, and its file into step, or say why that cannot be."""
        try:
            self._check(plan)
            self._recover(plan.plan_id)
            while self._step(plan):
                plan = self._fetched(plan)
        except UnsafeName as unsafe:
            self.leave(plan.plan_id, str(unsafe))
        except Changed:
            return  # somebody is writing right now: the file is looked at again when it is quiet
        except NotAFile as problem:
            self.leave(plan.file_name, str(problem))

    def may_have_changed(self, plan_id: str) -> bool:
        """Whether the gate has to be asked: not about a plan that was over, if its file is as it was then."""
        record = self.memory[plan_id]
        if record.base is None or record.writing or not record.over:
            return True
        return _hash_in(self.folder, record.base.file) not in {"", record.base.hash}

    def leave_behind(self, plan_id: str) -> None:
        """The gate does not have the plan: it may be another gate."""
        if base := self.memory[plan_id].base:
            self.leave(base.file, "its plan is not at this gate; the file is left alone")

    def _fetched(self, plan: Plan) -> Plan:
        """The plan as the gate has it now."""
        return self._check(self.gate.get_plan(plan))

    def _check(self, plan: Plan) -> Plan:
        """The plan, or UnsafeName: what a gate calls it leads nowhere but to its own file and record."""
        checked_name(plan.file_name)
        checked_id(plan.plan_id)
        if self.memory.plan_of(plan.file_name) not in {"", plan.plan_id}:
            raise UnsafeName(f"{plan.file_name} is the file of another plan: this one has none")
        return plan

    def _step(self, plan: Plan) -> bool:
        """Whether there is more to do."""
        base = self.memory[plan.plan_id].base
        seen = look_at(self.folder, base.file if base else plan.file_name)
        match decide(_gate_side(plan), seen.side, base):
            case Nothing():
                self._keep(plan, base)
                return False
            case Leave(words):
                self.leave(seen.name, words, seen.data)
                return False
            case Write(over, words):
                self._write(plan, seen, over)
                if words:
                    self.tell(seen.name, words)
            case Accept(hash):
                self._keep(plan, InStep(seen.name, plan.revision, hash))
            case Send(hash, based_on):
                return self._send(plan, seen, hash, based_on)
            case SetAside(hash, based_on):
                self._set_aside(plan, seen, hash, based_on)
        return False

    def _send(self, plan: Plan, seen: Seen, hash: str, based_on: int) -> bool:
        args, is_spec = args_of(seen.plan)
        said = f"{plan.plan_id} {based_on} {hash}".encode()
        try:
            sent = self.gate.update_plan(
                Plan(plan_uri=plan.plan_uri, revision=based_on),
                args.plan,
                name=args.name,
                overview=args.overview,
                todos=args.todos,
                phases=args.phases,
                is_project=args.is_project,
                is_spec=is_spec,
                whole=True,
                request_id=f"folder-{hashlib.sha256(said).hexdigest()}",
            )
        except StaleRevision:
            return self._sent_too_late(self._fetched(plan), seen, hash, based_on)
        except PlangateError as error:
            if is_passing(error) or isinstance(error, TimedOut):
                raise
            self.leave(seen.name, f"the gate does not take it: {error.words}", seen.data)
            return False
        for warning in seen.plan.warnings:
            self.tell(seen.name, str(warning))
        self._keep(self._check(sent), InStep(seen.name, sent.revision, hash))
        return True

    def _sent_too_late(self, now: Plan, seen: Seen, hash: str, based_on: int) -> bool:
        if content_of_plan(now) == seen.content:
            return True
        self._set_aside(now, seen, hash, based_on)
        return False

    def _set_aside(self, plan: Plan, seen: Seen, hash: str, based_on: int) -> None:
        name = free_name(self.folder, seen.name, based_on, hash)
        if self.folder.hash(name) != hash:
            self.folder.put(name, seen.data, self.memory.own, "")
        self.tell(seen.name, f"the plan has changed at the gate, too: your text is in {name}")
        self._write(plan, seen, hash)

    def _write(self, plan: Plan, seen: Seen, over: str) -> None:
        data = written(plan, seen.plan if over else None)
        new = InStep(plan.file_name, plan.revision, hash_of(data))
        moves = new.file != seen.name
        there = self.folder.hash(new.file) if moves else over
        if moves and there not in {"", new.hash}:
            raise NotAFile(f"the plan of {seen.name} is called so now: move this file away")
        self.memory.keep(plan.plan_id, replace(self.memory[plan.plan_id], writing=new))
        if there != new.hash:
            self.folder.put(new.file, data, self.memory.own, there)
        self._finish(plan.plan_id, new)
        self._keep(plan, new)

    def _recover(self, plan_id: str) -> None:
        """Find out whether a process that died had written what it was about to write."""
        record = self.memory[plan_id]
        if record.writing is None:
            return
        there = _hash_in(self.folder, record.writing.file)
        if there == record.writing.hash:
            self._finish(plan_id, record.writing)
        elif there and record.base and record.base.file != record.writing.file:
            # Nothing had that name before. Nobody knows from what it was made: it counts as an older edit.
            self._finish(plan_id, replace(record.writing, revision=record.base.revision))
        else:
            self.memory.keep(plan_id, replace(record, writing=None))

    def _finish(self, plan_id: str, new: InStep) -> None:
        """Remember what was written; a file of a former name goes, unless somebody changed it."""
        record = self.memory[plan_id]
        base = record.base
        if base and base.file != new.file and _hash_in(self.folder, base.file) == base.hash:
            self.folder.remove(base.file)
        self.memory.keep(plan_id, replace(record, base=new, writing=None))

    def leave(self, name: str, words: str, data: bytes = b"") -> None:
        """Say once, for what the file holds, why it is left alone."""
        said = (words, hash_of(data))
        if self._left.get(name) != said:
            self._left[name] = said
            self.tell(name, words)

    def _keep(self, plan: Plan, base: InStep | None) -> None:
        if base is not None:
            self.memory.keep(plan.plan_id, Record(base, over=plan.state in ENDED))


def _gate_side(plan: Plan) -> GateSide:
    return GateSide(
        file=plan.file_name,
        revision=plan.revision,
        content=content_of_plan(plan),
        statuses=statuses_of(from_plan(plan).todos),
        has_file=plan.state not in {PlanState.PLAN_STATE_DRAFT, *ENDED},
    )


def _hash_in(folder: Directory, name: str) -> str:
    try:
        return folder.hash(name)
    except NotAFile:
        return ""
