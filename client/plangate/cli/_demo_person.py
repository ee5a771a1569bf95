"""Whoever decides in a demonstration: the person at the terminal, or nobody but ``--yes``."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final, Protocol

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._values import ApprovalOutcome, Decision
from plangate.cli._asking import typed
from plangate.cli._decisions import sent
from plangate.cli._demo_gate import Place
from plangate.cli._gate import CommandError
from plangate.cli._meanwhile import asked
from plangate.cli._remarks import Remarks, print_comments
from plangate.cli._settling import approving, until_settled
from plangate.errors import AlreadyDecided, PlangateError, PromptNotActive
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.tool_approval_service_pb2 import ApprovalPrompt

QUESTION: Final = "[a]pprove, [r]eject, ask for [c]hanges, [e]dit, or decide in an[o]ther terminal"


class Person(Protocol):
    """Decides about a plan and a tool call, here or elsewhere: the agent is told in any case."""

    def review(self, plan: Plan, told: Future[Decision]) -> None: ...
    def answer(self, prompt: ApprovalPrompt, told: Future[ApprovalOutcome]) -> None: ...


class Willing:
    """Says yes to all of it, for a demonstration that nobody watches."""

    def __init__(self, gate: Client) -> None:
        self._gate = gate

    def review(self, plan: Plan, told: Future[Decision]) -> None:
        print("approved, because of --yes")
        self._gate.decide(plan, "approve")

    def answer(self, prompt: ApprovalPrompt, told: Future[ApprovalOutcome]) -> None:
        print("allowed, because of --yes")
        self._gate.answer(prompt, "approved")


class AtTerminal:
    """Asks until there is a clear answer."""

    def __init__(self, gate: Client, place: Place) -> None:
        self._gate = gate
        self._place = place

    def review(self, plan: Plan, told: Future[Decision]) -> None:
        print(f"Decide in a browser, at {self._place.page}\nor here:")
        remarks = Remarks(self._gate, plan)
        while (answer := self._asked(remarks, told)) is not None:
            try:
                if self._did(answer, plan):
                    return
            except AlreadyDecided as earlier:
                print(visible(earlier.words))
                return
            except PlangateError as refused:
                print(f"refused: {visible(refused.words)}")

    def answer(self, prompt: ApprovalPrompt, told: Future[ApprovalOutcome]) -> None:
        answer = asked("May it? [y/N] ", told)
        if answer is None:
            return
        try:
            self._gate.answer(prompt, "approved" if answer in {"y", "yes"} else "denied")
        except PromptNotActive as earlier:
            print(visible(earlier.words))

    def _asked(self, remarks: Remarks, told: Future[Decision]) -> str | None:
        print_comments(remarks.look_again(), title="comments")
        return asked(f"{QUESTION}{remarks.along()}? ", told)

    def _did(self, answer: str, plan: Plan) -> bool:
        """Whether that was an answer, and is done."""
        match answer:
            case "a":
                self._decide(plan, "approve")
            case "r":
                self._decide(plan, "reject", _words("What to do differently: "))
            case "c":
                self._decide(plan, "requestChanges", _words("What to change: "))
            case "e":
                return self._edited(plan)
            case "o":
                print("There, type:", *self._place.commands("approve", plan.file_name), sep="\n  ")
                print("or reject, request-changes, or review, for all of it. The agent waits.", flush=True)
                return False
            case _:
                return False
        return True

    def _decide(self, plan: Plan, option: str, words: str = "") -> None:
        if went_along := sent(self._gate.decide(plan, option, words).review):
            print(went_along)

    def _edited(self, plan: Plan) -> bool:
        try:
            return until_settled(plan, {"a": approving(self._gate, plan)})
        except CommandError as unsettled:
            print(visible(str(unsettled)))
            return False


def _words(question: str) -> str:
    print(question, end="", flush=True)
    return typed() or ""
