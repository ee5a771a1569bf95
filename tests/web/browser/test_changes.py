"""What changed between revisions, beside what people said about them."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from plangate_proto.aiserver.v1.plan_review_service_pb2 import AddCommentRequest
from tests.web.browser.desk import PHONE, Desk, Room, module
from tests.web.browser.plans import CELLAR, proposed, revised, todo

NEWER = "# Tidy the cellar\n\nCarry the boxes out.\nSweep the floor.\nPaint\u200b the wall.\n"


def side(desk: Desk, which: str, change: str) -> Locator:
    return desk.page.locator(f".pair:not(.same) .{which}:not(.none)", has_text=change)


async def test_request_changes_and_see_what_came_of_it(office: Room, desk: Desk) -> None:
    """The new revision's changes stand beside the words that asked for them, and it can be approved."""
    plan = await proposed(office, todos=[todo("carry"), todo("sweep", "sweep", "carry")])
    await desk.read(plan)
    await desk.press("r")
    await desk.page.keyboard.type("Out, not up.")
    await desk.press("Control+Enter")
    await desk.is_told("ada requested changes")
    newer = await revised(office, plan, NEWER, [todo("carry"), todo("sweep", "sweep twice", "carry")])
    await desk.page.get_by_role("button", name="Show revision 2").click()
    await expect(desk.page.locator(".said")).to_contain_text("Out, not up.")
    await expect(side(desk, "left", "up").locator("del")).to_have_text("up")
    await expect(side(desk, "right", "out").locator("ins")).to_have_text("out")
    await expect(side(desk, "right", "Paint").locator("mark")).to_have_text("U+200B")
    await expect(desk.page.locator(".facts-changed")).to_contain_text("sweep twice")
    await desk.can_decide()
    await desk.press("Enter")
    await desk.is_told("ada approved")
    assert (await office.gate.get(plan.plan_uri)).review.digest == newer.digest


async def test_empty_lines_are_counted(office: Room, desk: Desk) -> None:
    """In what changed and in the source, they push nothing that follows out of sight."""
    plan = await proposed(office, "# Tidy")
    newer = await revised(office, plan, f"# Tidy{chr(10) * 5001}rm -rf /")
    await desk.read(newer)
    await desk.page.get_by_role("button", name="Source").click()
    await expect(desk.page.locator(".source .line")).to_have_count(3)
    await expect(desk.page.locator(".source")).to_contain_text("5,000 empty lines")
    await desk.press("d")
    await expect(side(desk, "right", "5,000 empty lines")).to_have_count(1)
    await expect(side(desk, "right", "rm -rf /")).to_be_in_viewport()


async def test_a_comment_stands_where_it_was_made(office: Room, desk: Desk) -> None:
    """On the old line beside what became of it, and carried over in the new text until it is resolved."""
    plan = await proposed(office)
    comment = AddCommentRequest(plan_uri=plan.plan_uri, revision=1, first_line=4, text="With which broom?")
    await office.gate.reviews.AddComment(comment)
    newer = await revised(office, plan, f"# Preface\n\n{CELLAR}")
    await desk.read(newer)
    await expect(desk.page.locator('[data-line="5"] .comment')).to_contain_text("carried from revision 1")
    await desk.press("d")
    then = desk.page.locator('[data-left="4"] .comments.then')
    await expect(then).to_contain_text("With which broom?")
    await then.get_by_role("button", name="Resolve").click()
    await expect(then).to_contain_text("resolved by")
    await desk.press("t")
    await expect(desk.page.locator(".comment.resolved")).to_contain_text("With which broom?")


async def test_any_two_revisions(office: Room, desk: Desk) -> None:
    """What is compared can be chosen; while it is not what would be decided about, nobody can decide."""
    first = await proposed(office, "# One")
    second = await revised(office, first, "# Two")
    third = await revised(office, second, "# Three")
    await desk.read(third)
    await desk.press("d")
    await desk.page.get_by_label("to", exact=True).select_option("2")
    await desk.page.get_by_label("From").select_option("1")
    await expect(desk.page.locator(".result .brief")).to_contain_text("From revision 1 to 2")
    await expect(side(desk, "right", "Two")).to_have_count(1)
    await desk.is_told("to decide, look at revision 3")
    await desk.press("Enter")
    await desk.press("t")
    await desk.can_decide()
    assert not (await office.gate.get(third.plan_uri)).review.decisions


async def test_since_what_this_person_saw_last(office: Room, desk: Desk) -> None:
    """Whoever read the first revision and comes back at the third is shown what came since."""
    first = await proposed(office, "# One")
    await desk.read(first)
    await desk.open()
    third = await revised(office, await revised(office, first, "# Two"), "# Three")
    await desk.read(third)
    await expect(desk.page.locator(".since")).to_contain_text("Since revision 1, which you saw last")
    await desk.press("d")
    await expect(side(desk, "left", "One")).to_have_count(1)


async def test_what_did_not_change_is_folded(office: Room, desk: Desk) -> None:
    """A long text shows the lines around a change, says how many it left out, and unfolds them."""
    lines = [f"line {number}" for number in range(200)]
    plan = await proposed(office, "\n".join(lines))
    newer = await revised(office, plan, "\n".join([*lines[:100], "something new", *lines[100:]]))
    await desk.read(newer)
    await desk.press("d")
    await expect(desk.page.locator(".pair")).to_have_count(7)
    await desk.page.get_by_role("button", name="Show 97 lines that did not change").first.click()
    await expect(desk.page.locator(".pair")).to_have_count(104)


async def test_one_under_the_other_on_a_phone(office: Room) -> None:
    """What went stands above what came, and nothing reaches beyond the screen."""
    newer = await revised(office, await proposed(office), NEWER)
    async with office.desk(size=PHONE) as desk:
        await desk.read(newer)
        await desk.page.get_by_role("button", name="What changed").first.click()
        went = await side(desk, "left", "up").bounding_box()
        came = await side(desk, "right", "out").bounding_box()
        assert went
        assert came
        assert went["x"] == came["x"]
        assert went["y"] < came["y"]
        assert await desk.page.evaluate("document.documentElement.scrollWidth") == PHONE[0]


async def test_every_comparison_gives_both_texts_back(desk: Desk) -> None:
    """The left side is the one text and the right side the other, whatever they are."""
    wrong = await desk.page.evaluate(
        module("plan/changes/rows")
        + """.then(({ rowsOf }) => {
          let seed = 7;
          const next = (most) => (seed = (seed * 48271) % 2147483647) % most;
          const line = () => "abcd ef"[next(7)].repeat(next(3));
          const text = () => Array.from({ length: next(9) }, line).join("\\n");
          const side = (rows, name) => rows.flatMap((row) => row[name]?.text ?? []).join("\\n");
          return Array.from({ length: 3000 }, () => [text(), text()]).filter(([one, other]) => {
            const rows = rowsOf(one, other);
            return side(rows, "left") !== one || side(rows, "right") !== other;
          });
        })"""
    )
    assert wrong == []
