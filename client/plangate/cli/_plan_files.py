"""Plan files that commands read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from plangate._common.text_safety import visible
from plangate.cli._gate import CommandError
from plangate.planfile.api import to_create_request
from plangate.planfile.characters import MOST_BYTES
from plangate.planfile.model import PlanFile
from plangate.planfile.problems import PlanFileError
from plangate.planfile.statuses import PENDING

Read = Callable[[bytes, str], PlanFile]
STANDARD_INPUT = "-"
CURSOR_PLAN = "cursorplan"
"""The scheme of URIs of plans in an editor, in lower case."""
BEGUN = "todo is further than pending, which a new plan forgets"
SOME_BEGUN = "todos are further than pending, which a new plan forgets"


def path_of(name: str) -> Path:
    """Where a file is that a person names: by its path, or by the URI that an editor has for a plan."""
    scheme, colon, _ = name.partition(":")
    if not colon or scheme.lower() != CURSOR_PLAN:
        return Path(name)
    parts = urlsplit(name)
    if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
        raise CommandError(f"{name} names no file of this machine: write it as cursorPlan:///FOLDER/FILE")
    return Path(unquote(parts.path))


def read_file(name: str, read: Read) -> PlanFile:
    """The plan in a file. What was mended in it is told on standard error, with the line."""
    try:
        if name == STANDARD_INPUT:
            plan = read(sys.stdin.buffer.read(MOST_BYTES + 1), "")
        else:
            path = path_of(name)
            with path.open("rb") as file:
                plan = read(file.read(MOST_BYTES + 1), path.name)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror or error}") from None
    except PlanFileError as problem:
        raise CommandError(f"{name}, {problem}") from None
    for warning in plan.warnings:
        print(f"plangate: {visible(name)}, {visible(str(warning))}", file=sys.stderr)
    if begun := sum(todo.status != PENDING for todo in plan.all_todos()):
        print(f"plangate: {visible(name)}: {begun} {BEGUN if begun == 1 else SOME_BEGUN}", file=sys.stderr)
    return plan


def content_of(plan: PlanFile) -> dict[str, Any]:
    """What ``create_plan`` is given for a plan file."""
    request = to_create_request(plan)
    return {
        "plan": request.args.plan,
        "name": request.args.name,
        "overview": request.args.overview,
        "todos": list(request.args.todos),
        "phases": list(request.args.phases),
        "is_project": request.args.is_project,
        "is_spec": request.is_spec,
    }
