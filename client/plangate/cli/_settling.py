"""What a person writes in an editor, until it is sent, forgotten, or left in its file."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import NamedTuple

from plangate._client import Client
from plangate._common.text_safety import visible
from plangate._editing import CannotEdit, PlanEdit
from plangate.cli._asking import ask
from plangate.cli._changes import diff_lines
from plangate.cli._deciding import with_comments
from plangate.cli._gate import CommandError
from plangate.cli._remarks import Remarks, print_comments, print_meanwhile
from plangate.errors import PlangateError
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams


class Way(NamedTuple):
    """What can be done with an edited plan."""

    words: str
    send: Callable[[CreatePlanParams], str]
    """Gives what to tell the person."""
    remarks: Remarks | None = None
    """What goes along with it, if anything can."""


def approving(client: Client, plan: Plan) -> Way:
    def send(edited: CreatePlanParams) -> str:
        decision = client.decide(plan, "edit", edited=edited, whole=True)
        return f"{visible(plan.file_name)}: {with_comments('approved as edited', decision)}"

    return Way("approve as edited", send, Remarks(client, plan))


def until_settled(plan: Plan, ways: Mapping[str, Way]) -> bool:
    """Whether the edited plan was sent in one of the ways, each named by a letter.

    If it was neither sent nor forgotten, a CommandError names the file that it is in.
    """
    edit = PlanEdit(plan)
    print(f"the plan is in {visible(str(edit.path))}")
    try:
        return _settled(edit, ways)
    except PlangateError as error:
        raise CommandError(f"{error.words}; what you wrote is in {edit.path}") from None


def _settled(edit: PlanEdit, ways: Mapping[str, Way]) -> bool:
    wanted: str | None = "e"
    while wanted == "e":
        try:
            edited = _from_editor(edit)
        except CannotEdit as problem:
            print(visible(str(problem)))
            wanted = _answer("edit again [e], or stop and keep the file [k]?", "ek")
            continue
        if edited is None:
            return _forgotten(edit, "nothing was changed")
        print(*diff_lines("\n".join(edit.diff())), sep="\n")
        wanted = _chosen(ways)
        if wanted is not None and wanted in ways:
            print(ways[wanted].send(edited))
            edit.forget()
            return True
        if wanted == "f":
            return _forgotten(edit, "forgotten: the plan is as it was")
    raise CommandError(f"the plan is as it was; what you wrote is in {edit.path}")


def _chosen(ways: Mapping[str, Way]) -> str | None:
    """The letter that the person chose, having been shown all that goes along."""
    for way in ways.values():
        if way.remarks is not None:
            print_comments(way.remarks.look_again(), title="comments")
    while True:
        wanted = _answer(f"{_offered(ways)}, edit again [e], forget it [f]?", {*ways, "e", "f"})
        remarks = ways[wanted].remarks if wanted is not None and wanted in ways else None
        if remarks is None or not (new := remarks.look_again()):
            return wanted
        print_meanwhile(new)


def _offered(ways: Mapping[str, Way]) -> str:
    along = {letter: way.remarks.along() if way.remarks else "" for letter, way in ways.items()}
    return ", ".join(f"{way.words}{along[letter]} [{letter}]" for letter, way in ways.items())


def _forgotten(edit: PlanEdit, words: str) -> bool:
    edit.forget()
    print(words)
    return False


def _from_editor(edit: PlanEdit) -> CreatePlanParams | None:
    edit.open_editor()
    return edit.read()


def _answer(question: str, letters: Container[str]) -> str | None:
    """One of the letters; asks until it is one. None if nobody will answer any more."""
    answer = ask(question)
    while answer is not None and (len(answer) != 1 or answer not in letters):
        answer = ask(question)
    return answer
