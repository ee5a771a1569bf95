"""The todos as a picture: every one of them, how it stands, and what must be done before."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from plangate_proto.agent.v1 import plan_service_pb2 as plan_pb
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from plangate_proto.agent.v1.todo_tools_pb2 import TodoItem, TodoStatus, UpdateTodosArgs
from tests.web.browser.desk import PHONE, Desk, Room
from tests.web.browser.plans import fifty_four, proposed, todo

CHAIN = [todo("carry"), todo("sweep", "", "carry"), todo("paint", "", "sweep"), todo("air", "", "carry")]


def box(desk: Desk, id: str) -> Locator:
    return desk.page.locator(f'.graph [data-todo="{id}"]')


async def place(desk: Desk, id: str) -> tuple[float, float]:
    found = await box(desk, id).bounding_box()
    assert found
    return found["x"], found["y"]


async def progress(office: Room, plan: Plan, id: str, status: TodoStatus.ValueType) -> None:
    args = UpdateTodosArgs(todos=[TodoItem(id=id, status=status)], merge=True)
    await office.gate.agent.UpdateTodos(plan_pb.UpdateTodosRequest(plan_uri=plan.plan_uri, args=args))


async def test_waves_from_left_to_right(office: Room, desk: Desk) -> None:
    """What comes after something stands to its right, with a line between them."""
    await desk.read(await proposed(office, todos=CHAIN))
    places = [await place(desk, id) for id in ("carry", "sweep", "paint")]
    assert [x for x, _ in places] == sorted({x for x, _ in places})
    assert (await place(desk, "air"))[0] == places[1][0]
    edges = desk.page.locator(".graph .edge")
    await expect(edges).to_have_count(3)
    assert await edges.nth(0).get_attribute("data-from") == "carry"


async def test_it_follows_the_build(office: Room, desk: Desk) -> None:
    """Shape, sign and words change with the state, without a reload and without moving the focus."""
    plan = await proposed(office, todos=CHAIN)
    await desk.read(plan)
    shape = await box(desk, "carry").locator(".outline").get_attribute("d")
    await box(desk, "carry").focus()
    await office.gate.decide(plan, "approve")
    await office.gate.agent.BuildTodos(plan_pb.BuildTodosRequest(plan_uri=plan.plan_uri, agent_id="coder"))
    await progress(office, plan, "carry", TodoStatus.TODO_STATUS_COMPLETED)
    await expect(box(desk, "carry")).to_have_accessible_name("carry, completed: do carry; wave 1")
    await expect(box(desk, "sweep")).to_have_accessible_name("sweep, ready: do sweep; after carry; wave 2")
    await expect(box(desk, "paint")).to_have_class("box blocked")
    assert await box(desk, "carry").locator(".outline").get_attribute("d") != shape
    await expect(box(desk, "carry")).to_be_focused()
    await expect(desk.page.locator(".legend")).to_contain_text("2 ready")


async def test_to_the_todo_by_click_and_by_keys(office: Room, desk: Desk) -> None:
    """Arrow keys go from box to box; Enter leads to the todo in the list, and approves nothing."""
    plan = await proposed(office, todos=CHAIN)
    await desk.read(plan)
    row = desk.page.locator(".todos .todo", has_text="do paint")
    await box(desk, "paint").click()
    await expect(row).to_be_focused()
    await box(desk, "carry").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowRight"):
        await desk.press(key)
    await expect(box(desk, "paint")).to_be_focused()
    await desk.press("Enter")
    await expect(row).to_be_focused()
    assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_fifty_four_todos(office: Room, desk: Desk) -> None:
    """All are drawn, in the phases and waves that they have, and no box lies on another."""
    await desk.read(await office.gate.propose(plan_pb.CreatePlanRequest(args=fifty_four())))
    boxes = desk.page.locator(".graph .box")
    await expect(boxes).to_have_count(54)
    await expect(desk.page.locator(".graph .edge")).to_have_count(45)
    await expect(desk.page.locator(".graph .phase")).to_have_text([f"Phase {number}" for number in range(6)])
    picture = desk.page.get_by_role("group", name="54 todos in 6 waves")
    await expect(picture).to_be_visible()
    assert (
        await boxes.evaluate_all("boxes => new Set(boxes.map(box => box.getAttribute('transform'))).size")
        == 54
    )


async def test_one_todo_and_none(office: Room, desk: Desk) -> None:
    """One is a box; none is said in words."""
    await desk.read(await proposed(office, todos=[todo("carry")]))
    await expect(desk.page.locator(".graph .box")).to_have_count(1)
    await desk.read(await proposed(office))
    await desk.sees("This plan has no todos.")
    await expect(desk.page.locator(".graph")).to_be_hidden()


async def test_a_picture_wider_than_the_phone(office: Room) -> None:
    """It is scrolled in its frame and not the page, or shown whole."""
    plan = await office.gate.propose(plan_pb.CreatePlanRequest(args=fifty_four()))
    async with office.desk(size=PHONE) as desk:
        await desk.read(plan)
        widths = "frame => [frame.scrollWidth > frame.clientWidth, document.documentElement.scrollWidth]"
        frame = desk.page.locator(".graph .frame")
        assert await frame.evaluate(widths) == [True, PHONE[0]]
        await desk.page.get_by_role("button", name="Whole picture").click()
        assert await frame.evaluate(widths) == [False, PHONE[0]]
