"""Whoever decides in a demonstration: the person at the terminal, or nobody but ``--yes``."""

from __future__ import annotations

from typing import Final, Protocol

from plangate._client import Client
from plangate._editing import CannotEdit, PlanEdit
from plangate.cli._demo_gate import Place
from plangate.cli._text import visible, visible_lines
from plangate.errors import AlreadyDecided, PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt

QUESTION: Final = "[a]pprove, [r]eject, ask for [c]hanges, [e]dit, or decide in [o]ther terminal? "


class Person(Protocol):
    """Decides about a plan and a tool call; whether they do so here or elsewhere is theirs to choose."""

    def review(self, plan: Plan) -> None: ...
    def may_run(self, prompt: ApprovalPrompt) -> bool: ...


class Willing:
    """Says yes to all of it, for a demonstration that nobody watches."""

    def __init__(self, gate: Client) -> None:
        self._gate = gate

    def review(self, plan: Plan) -> None:
        print("approved, because of --yes")
        self._gate.decide(plan, "approve")

    def may_run(self, prompt: ApprovalPrompt) -> bool:
        print("allowed, because of --yes")
        return True


class AtTerminal:
    """Asks until there is a clear answer."""

    def __init__(self, gate: Client, place: Place) -> None:
        self._gate = gate
        self._place = place

    def review(self, plan: Plan) -> None:
        while True:
            answer = input(QUESTION).strip().lower()
            try:
                if self._did(answer, plan):
                    return
            except AlreadyDecided as earlier:
                print(visible(earlier.words))
                return
            except PlangateError as refused:
                print(f"refused: {visible(refused.words)}")

    def may_run(self, prompt: ApprovalPrompt) -> bool:
        return input("May it? [y/N] ").strip().lower() in {"y", "yes"}

    def _did(self, answer: str, plan: Plan) -> bool:
        """Whether that was an answer, and is done."""
        match answer:
            case "a":
                self._gate.decide(plan, "approve")
            case "r":
                self._gate.decide(plan, "reject", input("What to do differently: "))
            case "c":
                self._gate.decide(plan, "requestChanges", input("What to change: "))
            case "e":
                return self._edited(plan)
            case "o":
                print("There, type:", *self._place.commands("approve", plan.file_name), sep="\n  ")
                print("or reject, or request-changes. The agent waits.", flush=True)
            case _:
                return False
        return True

    def _edited(self, plan: Plan) -> bool:
        edit = PlanEdit(plan)
        try:
            edit.open_editor()
            changed = edit.read()
        except CannotEdit as problem:
            print(visible(str(problem)))
            return False
        if changed is None:
            print("nothing was changed")
            return False
        print(*(line for each in edit.diff() for line in visible_lines(each)), sep="\n")
        if input("Approve it like this? [y/N] ").strip().lower() not in {"y", "yes"}:
            return False
        self._gate.decide(plan, "edit", edited=changed)
        return True
