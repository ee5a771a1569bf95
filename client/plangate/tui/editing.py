"""A plan in the person's editor, then the difference, then the decision. Nothing that was written is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from plangate._common.text_safety import visible
from plangate._editing import CannotEdit, PlanEdit, content_of, interrupts_for_the_editor
from plangate.cli._changes import diff_lines
from plangate.cli._deciding import with_comments
from plangate.tui.edited_box import EditedBox
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.aiserver.v1.create_plan_tool_pb2 import CreatePlanParams

if TYPE_CHECKING:
    from plangate.tui.plan_view import PlanScreen


async def edit_plan(screen: PlanScreen, plan: Plan) -> None:
    """Until it is approved, saved, or forgotten; or left in its file, which is named."""
    edit = PlanEdit(plan)
    wanted = "e"
    while wanted == "e":
        try:
            edited = await _from_editor(screen, edit)
        except CannotEdit as problem:
            wanted = await screen.app.push_screen_wait(EditedBox([visible(str(problem))], is_readable=False))
            continue
        if edited is None:
            edit.forget()
            screen.tell("nothing was changed")
            return
        lines = diff_lines("\n".join(edit.diff()))
        box = EditedBox(lines, is_readable=True, along=screen.goes_along)
        wanted = await screen.app.push_screen_wait(box)
        if wanted in {"a", "s"}:
            await _send(screen, plan, edit, edited, approve=wanted == "a")
            return
        if wanted == "f":
            edit.forget()
            screen.tell("forgotten: the plan is as it was")
            return
    screen.tell(f"the plan is as it was; what you wrote is in {visible(str(edit.path))}")


async def _from_editor(screen: PlanScreen, edit: PlanEdit) -> CreatePlanParams | None:
    """What the person made of it; None if that is the same plan. All is heard meanwhile, nothing drawn."""
    app = screen.app
    try:
        async with screen.desk.terminal:
            with app.batch_update(), app.suspend(), interrupts_for_the_editor():
                problem = await asyncio.to_thread(_problem_of_editor, edit)
    except SuspendNotSupported:
        problem = CannotEdit("an editor cannot be opened from here: use 'plangate edit'")
    app.refresh(layout=True)
    if problem is not None:
        raise problem
    return edit.read()


def _problem_of_editor(edit: PlanEdit) -> CannotEdit | None:
    """Returned, not raised, or the terminal would stay the editor's."""
    try:
        edit.run_editor()
    except CannotEdit as error:
        return error
    return None


async def _send(
    screen: PlanScreen, plan: Plan, edit: PlanEdit, edited: CreatePlanParams, *, approve: bool
) -> None:
    client = screen.desk.client

    async def call() -> str:
        if approve:
            decision = await client.decide(plan, "edit", edited=edited, whole=True)
            return f"you decided: {with_comments('approved as edited', decision)}"
        saved = await client.update_plan(plan, edited.plan, **content_of(edited), whole=True)
        return f"saved as revision {saved.revision}, which waits for a decision"

    if await screen.send(call):
        edit.forget()
    else:
        screen.tell_more(f"what you wrote is in {visible(str(edit.path))}")
