"""``plangate edit``: change a plan in an editor, then approve it as edited, or put it to review."""

from __future__ import annotations

import argparse

from plangate._client import Client
from plangate._editing import CannotEdit, PlanEdit, content_of
from plangate._tokens import REVIEWER
from plangate.cli._asking import ask, is_somebody_there
from plangate.cli._changes import diff_lines
from plangate.cli._exits import DONE, FAILED
from plangate.cli._finding import find_plan
from plangate.cli._gate import CommandError, gate
from plangate.cli._parsing import add_plan, add_target
from plangate.cli._text import visible
from plangate.cli._words import state_of
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan, PlanState
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams

CHOICES = "approve as edited [a], save for others to review [s], edit again [e], forget it [f]?"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Opens the plan's file in $VISUAL, $EDITOR or vi, shows what you changed, and asks what to do with "
        "it. What you wrote is lost only if you say so: if the gate refuses it, the file is kept and named."
    )
    add_plan(parser)
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    with gate(given, role=REVIEWER) as client:
        if not is_somebody_there():
            raise CommandError("an editor needs a terminal: run it in one, or say it with 'request-changes'")
        plan = find_plan(client, given.plan, PlanState.PLAN_STATE_IN_REVIEW)
        if plan.state != PlanState.PLAN_STATE_IN_REVIEW:
            raise CommandError(f"{plan.file_name} is {state_of(plan).text}: only what is in review is edited")
        edit = PlanEdit(plan)
        print(f"the plan is in {visible(str(edit.path))}")
        try:
            return _until_settled(client, plan, edit)
        except PlangateError as error:
            raise CommandError(f"{error.words}; what you wrote is in {edit.path}") from None


def _until_settled(client: Client, plan: Plan, edit: PlanEdit) -> int:
    wanted: str | None = "e"
    while wanted == "e":
        try:
            edited = _from_editor(edit)
        except CannotEdit as problem:
            print(visible(str(problem)))
            wanted = _answer("edit again [e], or stop and keep the file [k]?", "ek")
            continue
        if edited is None:
            edit.forget()
            print("nothing was changed")
            return FAILED
        print(*diff_lines("\n".join(edit.diff())), sep="\n")
        wanted = _answer(CHOICES, "asef")
        if wanted in {"a", "s"}:
            print(_approve(client, plan, edited) if wanted == "a" else _save(client, plan, edited))
            edit.forget()
            return DONE
        if wanted == "f":
            edit.forget()
            print("forgotten: the plan is as it was")
            return FAILED
    raise CommandError(f"the plan is as it was; what you wrote is in {edit.path}")


def _from_editor(edit: PlanEdit) -> CreatePlanParams | None:
    edit.open_editor()
    return edit.read()


def _answer(question: str, letters: str) -> str | None:
    """One of the letters; asks until it is one. None if nobody will answer any more."""
    answer = ask(question)
    while answer is not None and (len(answer) != 1 or answer not in letters):
        answer = ask(question)
    return answer


def _approve(client: Client, plan: Plan, edited: CreatePlanParams) -> str:
    client.decide(plan, "edit", edited=edited, whole=True)
    return f"{visible(plan.file_name)}: approved as edited"


def _save(client: Client, plan: Plan, edited: CreatePlanParams) -> str:
    saved = client.update_plan(plan, edited.plan, **content_of(edited), whole=True)
    return f"{visible(saved.file_name)}: saved as revision {saved.revision}, which waits for a decision"
