"""A small agent: it plans, waits for people, and does in its own folder what they approved."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from plangate._calls.tools import Kind
from plangate._client import Build, Client
from plangate._values import ApprovalOutcome, Decision
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem

NAME: Final = "demo-agent"
SESSION: Final = "demo"
TOOL: Final[Kind] = "terminal"
PUBLISH: Final = "publish"
COMMAND: Final = "cp page.md public/"
TEXT: Final = """\
# Publish the reading list

The notes are in three files. They become one page, which is checked,
and then put where readers find it.

1. Put the notes together.
2. Write the page from them, and count its words.
3. Publish the page. This runs a command, and asks before it does.
"""
TODOS: Final = (
    TodoItem(id="gather", content="Put the three notes together"),
    TodoItem(id="write", content="Write the page from the notes", dependencies=["gather"]),
    TodoItem(id="count", content="Count the words of the notes", dependencies=["gather"]),
    TodoItem(id=PUBLISH, content="Put the page into public/", dependencies=["write", "count"]),
)
NOTES: Final = {"birds.txt": "On birds, in winter\n", "bees.txt": "On bees\n", "trees.txt": "On old trees\n"}


class CannotDo(Exception):
    """Why a todo cannot be done: what a person left of the plan may lack what it needs."""


class Agent:
    """Everything it writes is in its folder."""

    def __init__(self, gate: Client, folder: Path) -> None:
        self._gate = gate
        self._folder = folder
        (folder / "public").mkdir(parents=True)
        for name, text in NOTES.items():
            (folder / name).write_text(text, encoding="utf-8")

    def propose(self) -> Plan:
        return self._gate.create_plan(
            TEXT,
            overview="Three notes become one page",
            todos=TODOS,
            session_id=SESSION,
        )

    def revise(self, decision: Decision) -> Plan:
        """What was asked for becomes part of the text, and a todo."""
        plan, words = decision.plan, decision.words
        asked = f"asked-{plan.revision}"
        return self._gate.update_plan(
            plan,
            f"{plan.plan.rstrip()}\n\n## Asked for after revision {plan.revision}\n\n{decision.feedback}\n",
            todos=[*plan.todos, TodoItem(id=asked, content=f"See to it: {words}", dependencies=["write"])],
        )

    def ask_to_publish(self, build: Build) -> ApprovalOutcome:
        """Returns when a person has answered."""
        return self._gate.request_approval(
            SESSION,
            "shell",
            COMMAND,
            kind=TOOL,
            prompt="to put the page where readers find it",
            plan=build.plan_uri,
            build_id=build.build_id,
            todo_id=PUBLISH,
        )

    def work_on(self, todo: TodoItem) -> None:
        """What the todo says; one that a person thought of is noted down."""
        work = WORK.get(todo.id)
        if work is None:
            (self._folder / "seen-to.txt").write_text(f"{todo.content}\n", encoding="utf-8")
            return
        try:
            work(self._folder)
        except subprocess.CalledProcessError as error:
            raise CannotDo(f"{shlex.join(error.cmd)} exited with {error.returncode}") from None
        except OSError as error:
            raise CannotDo(str(error)) from None

    def left_behind(self) -> list[str]:
        """The files that it made."""
        made = (path.relative_to(self._folder) for path in self._folder.rglob("*") if path.is_file())
        return sorted(str(path) for path in made if str(path) not in NOTES)


def _gather(folder: Path) -> None:
    notes = "".join((folder / name).read_text(encoding="utf-8") for name in NOTES)
    (folder / "notes.txt").write_text(notes, encoding="utf-8")


def _write(folder: Path) -> None:
    lines = (folder / "notes.txt").read_text(encoding="utf-8").splitlines()
    page = "".join(f"- {line}\n" for line in lines)
    (folder / "page.md").write_text(f"# Reading list\n\n{page}", encoding="utf-8")


def _count(folder: Path) -> None:
    words = (folder / "notes.txt").read_text(encoding="utf-8").split()
    (folder / "words.txt").write_text(f"{len(words)}\n", encoding="utf-8")


def _publish(folder: Path) -> None:
    subprocess.run(shlex.split(COMMAND), cwd=folder, check=True)


WORK: Final[Mapping[str, Callable[[Path], None]]] = {
    "gather": _gather,
    "write": _write,
    "count": _count,
    PUBLISH: _publish,
}
