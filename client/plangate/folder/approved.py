"""The text that was approved last, in a file of its own: nothing else ever gets there."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from plangate._client import Client
from plangate.errors import PlanNotFound
from plangate.folder.approvals import NEVER, Approval, last_approval
from plangate.folder.files import Changed, Directory, hash_of
from plangate.folder.seeing import free_name
from plangate_proto.agent.v1.plan_resource_pb2 import Plan

NOTE: Final = "approved"
"""Where it is noted what the file holds."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The approval whose text was last written, and the hash of what the file then held."""

    approval: Approval = NEVER
    hash: str = ""
    writing: str = ""
    """What the file is about to hold: after a crash, it is ours as well."""


@dataclass(frozen=True, slots=True)
class Approved:
    """Keeps the text that was approved last in a file, whole; what somebody else wrote there is set aside."""

    path: Path
    gate: Client
    own: Directory
    """Where it is noted what was written."""
    tell: Callable[[str, str], None]
    session_id: str = ""
    """Only the plans of this session count; empty for all."""

    def look(self, plans: Iterable[Plan]) -> None:
        """Write what was approved last of these plans, unless something else was approved after it.

        NotAFile, if something is in the way that is not replaced.
        """
        noted = self._still_counting(_read(self.own.read(NOTE)))
        found = (
            last_approval(self.gate, plan, noted.approval.time) for plan in plans if self._is_meant(plan)
        )
        newest = max((each for each in found if each), default=NEVER)
        if newest == NEVER or newest < noted.approval:
            return
        with contextlib.closing(Directory.opened(self.path.parent)) as folder:
            if newest != noted.approval or folder.hash(self.path.name) != noted.hash:
                self._write(folder, newest, noted)

    def _is_meant(self, plan: Plan) -> bool:
        return self.session_id in {"", plan.session_id}

    def _still_counting(self, noted: Noted) -> Noted:
        """What was noted. An approval at another gate, or in another session, keeps nothing out here."""
        if noted.approval == NEVER:
            return noted
        try:
            counts = self._is_meant(self.gate.get_plan(noted.approval.plan_uri))
        except PlanNotFound:
            counts = False
        return noted if counts else replace(noted, approval=NEVER)

    def _write(self, folder: Directory, approval: Approval, noted: Noted) -> None:
        text = self.gate.get_plan(approval.plan_uri, revision=approval.revision).plan.encode()
        new = hash_of(text)
        self._note(replace(noted, writing=new))
        while not self._is_written(folder, text, noted):
            continue  # somebody was faster: what they wrote is looked at now
        self._note(Noted(approval, new))

    def _is_written(self, folder: Directory, text: bytes, noted: Noted) -> bool:
        name = self.path.name
        there = folder.read(name)
        hash = "" if there is None else hash_of(there)
        if hash == hash_of(text):
            return True
        try:
            if there is not None and hash not in {noted.hash, noted.writing}:
                self._set_aside(folder, there, noted.approval.revision)
            folder.put(name, text, folder, hash)
        except Changed:
            return False
        return True

    def _set_aside(self, folder: Directory, text: bytes, based_on: int) -> None:
        name = free_name(folder, self.path.name, based_on, hash_of(text))
        if folder.hash(name) != hash_of(text):
            folder.put(name, text, folder, "")
        self.tell(str(self.path), f"only what was approved is in this file: your text is in {name}")

    def _note(self, noted: Noted) -> None:
        self.own.put(NOTE, json.dumps(asdict(noted)).encode(), self.own)


def _read(data: bytes | None) -> Noted:
    """A note that nobody can read is none: what the file holds then counts as the person's."""
    try:
        found: Any = json.loads(data or b"{}")
        approval = found["approval"]
        return Noted(
            Approval(int(approval["time"]), str(approval["plan_uri"]), int(approval["revision"])),
            str(found["hash"]),
            str(found["writing"]),
        )
    except (KeyError, TypeError, ValueError):
        return Noted()
