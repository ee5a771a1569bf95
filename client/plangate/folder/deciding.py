"""What to do about one plan: a pure function of what the gate, the file and the memory of the folder say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from plangate.folder.content import Content


@dataclass(frozen=True, slots=True)
class GateSide:
    """A plan as the gate has it."""

    file: str
    """What its file is called."""
    revision: int
    content: Content
    statuses: Mapping[str, str]
    has_file: bool
    """Whether a plan of which the folder knows nothing gets a file: not a draft, and not one that ended."""


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no file."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """There is something that cannot be taken for the plan; it is left alone."""

    words: str


@dataclass(frozen=True, slots=True)
class Readable:
    """A file that holds a plan."""

    hash: str
    content: Content
    statuses: Mapping[str, str]


FileSide: TypeAlias = Missing | Unusable | Readable


@dataclass(frozen=True, slots=True)
class InStep:
    """When the two were last the same: the file's name and bytes, and the revision that they are."""

    file: str
    revision: int
    hash: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """They are in step, or somebody wants it so."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Do not touch the file, and say why."""

    words: str


@dataclass(frozen=True, slots=True)
class Write:
    """Put the gate's plan into the file."""

    over: str
    """The bytes that may be replaced, by their hash; empty if there must be no file."""
    words: str = ""
    """What the person should know about it."""


@dataclass(frozen=True, slots=True)
class Accept:
    """The file says what the gate says, in its own way: it stays as it is."""

    hash: str


@dataclass(frozen=True, slots=True)
class Send:
    """The person changed the file: make that a revision, based on the one that the file was made from."""

    hash: str
    based_on: int


@dataclass(frozen=True, slots=True)
class SetAside:
    """The person's text and the gate's have nothing to do with each other: keep both."""

    hash: str
    based_on: int
    """The revision that the text was made from; 0 if nobody knows."""


Action: TypeAlias = Nothing | Leave | Write | Accept | Send | SetAside

PROGRESS: Final = "its statuses are those of the gate again: they are progress, which agents report"


def decide(gate: GateSide, file: FileSide, base: InStep | None) -> Action:
    """The next step towards being in step. Taken often enough, it ends with Nothing or Leave."""
    match file:
        case Unusable(words):
            return Leave(words)
        case Missing():
            return _without_file(gate, base)
        case Readable():
            return _known(gate, file, base) if base else _unknown(gate, file)


def _without_file(gate: GateSide, base: InStep | None) -> Action:
    """A file that somebody deleted comes back with the next revision; deleting it takes nothing back."""
    if base is None:
        return Write("") if gate.has_file else Nothing()
    return Write("") if gate.revision != base.revision else Nothing()


def _unknown(gate: GateSide, file: Readable) -> Action:
    if file.content != gate.content:
        return SetAside(file.hash, 0)
    return Accept(file.hash) if _same_progress(gate, file) else Write(file.hash)


def _known(gate: GateSide, file: Readable, base: InStep) -> Action:
    if file.hash == base.hash:
        at_rest = gate.revision == base.revision and gate.file == base.file
        return Nothing() if at_rest and _same_progress(gate, file) else Write(file.hash)
    if file.content != gate.content:
        return Send(file.hash, base.revision)
    if gate.file != base.file:
        return Write(file.hash)
    return Accept(file.hash) if _same_progress(gate, file) else Write(file.hash, PROGRESS)


def _same_progress(gate: GateSide, file: Readable) -> bool:
    return gate.statuses == file.statuses
