"""What is in the folder under the name of a plan's file, and which other files are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Final

from plangate.folder.content import Content, content_of_file, statuses_of
from plangate.folder.deciding import FileSide, Missing, Readable, Unusable
from plangate.folder.files import Directory, NotAFile, hash_of
from plangate.planfile import PlanFileError, read_plan_file
from plangate.planfile.model import Form, PlanFile
from plangate.planfile.names import ENDING

ASIDE: Final = re.compile(rf"\.conflict-\d+(-\d+)?{re.escape(ENDING)}\Z")
NOTHING: Final = PlanFile(name="")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file, and what it says if that can be read."""

    name: str
    side: FileSide
    data: bytes = b""
    plan: PlanFile = NOTHING

    @property
    def content(self) -> Content:
        return content_of_file(self.plan)


def look_at(folder: Directory, name: str) -> Seen:
    """A file as it is. One that is half written, or has lost its front matter or its text, is not usable."""
    try:
        data = folder.read(name)
    except NotAFile as problem:
        return Seen(name, Unusable(str(problem)))
    if data is None:
        return Seen(name, Missing())
    try:
        plan = read_plan_file(data, name)
    except PlanFileError as error:
        return Seen(name, Unusable(str(error)), data)
    if plan.form is not Form.FRONT_MATTER:
        words = "line 1: there is no front matter, so its todos would be gone: put it back"
        return Seen(name, Unusable(words), data)
    if not plan.body.strip():
        last = data.count(b"\n") + 1
        words = f"line {last}: there is no text below the front matter: a plan needs one"
        return Seen(name, Unusable(words), data)
    side = Readable(hash_of(data), content_of_file(plan), statuses_of(plan.all_todos()))
    return Seen(name, side, data, plan)


def free_name(folder: Directory, name: str, based_on: int, hash: str) -> str:
    """What a text is called that is set aside: the same one may be there since before a crash."""
    return next(each for each in _aside_names(name, based_on) if _is_free(folder, each, hash))


def _aside_names(name: str, based_on: int) -> Iterator[str]:
    """What a text can be called that is kept beside a file."""
    ending = ENDING if name.endswith(ENDING) else Path(name).suffix
    stem = f"{name.removesuffix(ending)}.conflict-{based_on}"
    return (f"{stem}{number}{ending}" for number in chain([""], (f"-{n}" for n in count(2))))


def _is_free(folder: Directory, name: str, hash: str) -> bool:
    """Whether nothing else has that name."""
    try:
        return folder.hash(name) in {"", hash}
    except NotAFile:
        return False


def is_set_aside(name: str) -> bool:
    return ASIDE.search(name) is not None
