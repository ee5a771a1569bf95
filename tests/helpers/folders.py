"""A folder of plan files, a gate in memory, and processes that die while they keep the two in step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from plangate import Client
from plangate.folder import files
from plangate.folder.keeper import Keeper
from plangate.folder.memory import opened_folder
from plangate.planfile import read_plan_file, write_plan_file
from plangate.planfile.model import PlanFile
from plangate.testing import Gate
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus

TODOS = (
    TodoItem(id="sort", content="sort the boxes"),
    TodoItem(id="sweep", content="sweep the floor", dependencies=["sort"]),
)
NEVER = 10**9


class Dead(BaseException):
    """Nothing of the process runs any more, no handler and no cleanup."""


@dataclass(slots=True)
class Mortal:
    """Counts what a process does to the world, and lets it die right before one of these steps."""

    dies_before: int = NEVER
    steps: int = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps >= self.dies_before:
            raise Dead


class MortalOs:
    """The module ``os``, whose every call that changes something is a step."""

    def __init__(self, mortal: Mortal) -> None:
        self._mortal = mortal

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        if name not in {"replace", "unlink", "fsync", "mkdir"}:
            return found

        def counted(*arguments: Any, **options: Any) -> Any:
            self._mortal.step()
            return found(*arguments, **options)

        return counted


class MortalClient:
    """A client whose writes are steps; sent, they may have been heard."""

    def __init__(self, client: Client, mortal: Mortal) -> None:
        self._client = client
        self._mortal = mortal

    def get_plan(self, plan: Plan) -> Plan:
        return self._client.get_plan(plan)

    def update_plan(self, *arguments: Any, **options: Any) -> Plan:
        self._mortal.step()
        answer = self._client.update_plan(*arguments, **options)
        self._mortal.step()
        return answer


@dataclass(slots=True)
class Desk:
    """A person's folder, whose plans are at a gate."""

    path: Path
    gate: Gate = field(default_factory=Gate)
    told: list[str] = field(default_factory=list)
    plan_uri: str = ""

    def propose(self, text: str = "# Tidy the cellar\n", **fields: Any) -> Plan:
        with self.gate.client() as client:
            plan = client.create_plan(text, **{"name": "Cellar", "todos": TODOS, **fields})
        self.plan_uri = plan.plan_uri
        return plan

    @property
    def plan(self) -> Plan:
        with self.gate.client() as client:
            return client.get_plan(self.plan_uri)

    @property
    def file(self) -> Path:
        return self.path / self.plan.file_name

    def look(self, mortal: Mortal | None = None) -> int:
        """A new process looks at the plan once; gives the steps that it took."""
        mortal = mortal or Mortal()
        with self.keeper(mortal) as keeper:
            opening = mortal.steps
            keeper.look(self.plan)
        return mortal.steps - opening

    @contextmanager
    def keeper(self, mortal: Mortal) -> Iterator[Keeper]:
        with (
            patch.object(files, "os", MortalOs(mortal)),
            opened_folder(self.path) as (folder, memory),
            self.gate.client() as client,
        ):
            yield Keeper(MortalClient(client, mortal), folder, memory, self._tell)  # type: ignore[arg-type]

    def edit(self, **changes: Any) -> None:
        """As an editor does it that writes what it was given in its own way."""
        plan = self.read()
        fields = {name: getattr(plan, name) for name in plan.__slots__}
        self.file.write_bytes(write_plan_file(PlanFile(**{**fields, **changes})))

    def read(self) -> PlanFile:
        return read_plan_file(self.file.read_bytes(), self.file.name)

    def revise(self, text: str, **fields: Any) -> None:
        """The agent does."""
        with self.gate.client() as client:
            client.update_plan(self.plan, text, **fields)

    def progress(self, todo_id: str, status: TodoStatus.ValueType) -> None:
        with self.gate.client() as client:
            client.update_todos(self.plan_uri, [TodoItem(id=todo_id, status=status)])

    def texts(self) -> str:
        """All that was ever at the gate, and all that is in the folder."""
        with self.gate.client() as client:
            head = client.get_plan(self.plan_uri)
            at_gate = [client.get_plan(head, revision=n).plan for n in range(1, head.revision + 1)]
        there = [file.read_text(errors="replace") for file in self.path.glob("*.plan.md")]
        return "\n".join([*at_gate, *there])

    def _tell(self, name: str, words: str) -> None:
        self.told.append(f"{name}: {words}")
