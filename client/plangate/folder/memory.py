"""What a folder remembers, in ``.plangate``: for each plan, when it and its file were last in step."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from plangate.folder.deciding import InStep
from plangate.folder.files import PART, Directory
from plangate.planfile.names import UnsafeName, checked_name

OWN: Final = ".plangate"
LOCK: Final = "lock"
_ID: Final = re.compile(r"[0-9a-f]{32}\Z")
_RECORD: Final = ".json"


class FolderTaken(Exception):
    """Another process keeps the folder in step; its words say which folder."""


@dataclass(frozen=True, slots=True)
class Record:
    """Of one plan."""

    base: InStep | None = None
    writing: InStep | None = None
    """What the file is about to hold: after a crash, its hash tells whether it does."""
    over: bool = False
    """Whether the plan had ended by then: nobody need ask the gate unless the file changes."""


class Memory:
    """The records, each in a file of its own, as durable as the files that they are about."""

    def __init__(self, own: Directory) -> None:
        self.own = own
        self._records: dict[str, Record] = {}
        self._plans: dict[str, str] = {}
        """Of each file, the plan."""
        for name in own.names(PART):
            own.remove(name)
        for name in own.names(_RECORD):
            plan_id = name.removesuffix(_RECORD)
            if _ID.match(plan_id):
                self._note(plan_id, _read(own.read(name)))

    def __iter__(self) -> Iterator[str]:
        return iter([*self._records])

    def __getitem__(self, plan_id: str) -> Record:
        return self._records.get(plan_id, Record())

    def plan_of(self, file: str) -> str:
        """The plan whose file that is; empty if there is none."""
        return self._plans.get(file, "")

    def keep(self, plan_id: str, record: Record) -> None:
        """UnsafeName, if the record would be elsewhere or not be found again."""
        checked_id(plan_id)
        if record != self._records.get(plan_id):
            self.own.put(f"{plan_id}{_RECORD}", json.dumps(asdict(record)).encode(), self.own)
            self._note(plan_id, record)

    def _note(self, plan_id: str, record: Record) -> None:
        before = self[plan_id].base
        if before and self._plans.get(before.file) == plan_id:
            del self._plans[before.file]
        self._records[plan_id] = record
        if record.base:
            self._plans[record.base.file] = plan_id


def checked_id(plan_id: str) -> str:
    """The id, or UnsafeName if it can be no name of a record."""
    if not _ID.match(plan_id):
        raise UnsafeName(f"{plan_id!r} is no id of a plan: it has 32 hexadecimal digits")
    return plan_id


@contextmanager
def opened_folder(path: Path) -> Iterator[tuple[Directory, Memory]]:
    """The folder, made if it is missing, and its memory; for one process at a time, or FolderTaken."""
    path.mkdir(exist_ok=True)
    with contextlib.closing(Directory.opened(path)) as folder, _own(folder, OWN, path) as own:
        yield folder, Memory(own)


@contextmanager
def opened_note(file: Path) -> Iterator[Directory]:
    """What is remembered of a single file, in a folder beside it; for one process at a time: FolderTaken."""
    beside = f".{file.name}{OWN}"
    with contextlib.closing(Directory.opened(file.parent)) as folder, _own(folder, beside, file) as own:
        yield own


@contextmanager
def _own(folder: Directory, name: str, path: Path) -> Iterator[Directory]:
    with contextlib.closing(folder.within(name)) as own, _locked(own, path):
        yield own


@contextmanager
def _locked(own: Directory, path: Path) -> Iterator[None]:
    descriptor = own.opened_for_lock(LOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderTaken(f"{path} is kept in step by another process already") from None
    else:
        yield
    finally:
        os.close(descriptor)


def _read(data: bytes | None) -> Record:
    """A record that nobody can read is none: the file's text then counts as the person's."""
    try:
        found: Any = json.loads(data or b"{}")
        return Record(_in_step(found["base"]), _in_step(found["writing"]), bool(found["over"]))
    except (KeyError, TypeError, ValueError):
        return Record()


def _in_step(found: Any) -> InStep | None:
    if found is None:
        return None
    return InStep(checked_name(str(found["file"])), int(found["revision"]), str(found["hash"]))
