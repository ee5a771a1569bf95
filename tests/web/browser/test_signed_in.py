"""Signing in and out: who was signed in loses nothing, and nobody sends what another one began."""

from __future__ import annotations

from contextlib import AsyncExitStack

from playwright.async_api import expect

from plangate_proto.agent.v1.access_token_service_pb2 import ListTokensRequest, RevokeTokenRequest
from tests.helpers.people import People
from tests.web.browser.desk import Desk, Room


async def revoke(office: Room, name: str) -> None:
    listed = await office.gate.tokens.ListTokens(ListTokensRequest())
    (id,) = [token.token_id for token in listed.tokens if token.name == name]
    await office.gate.tokens.RevokeToken(RevokeTokenRequest(token_id=id))


async def sign_in(desk: Desk, token: str) -> None:
    await desk.page.get_by_label("Token").fill(token)
    await desk.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()


async def sign_out(desk: Desk) -> None:
    await desk.page.locator("#who").click()
    await desk.page.get_by_role("button", name="Sign out").click()


async def test_a_token_that_ends_asks_for_another(office: Room) -> None:
    """What was typed is still there, and is sent under the new token of the same person."""
    plan = await office.gate.propose()
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        desk = await stack.enter_async_context(office.desk(await people.secret("bo", "reviewer", "old")))
        await desk.read(plan)
        await desk.choice("Reject").click()
        await desk.page.locator(".words-form textarea").fill("Not the cellar.")
        await revoke(office, "bo-old")
        await expect(desk.page.get_by_role("dialog")).to_contain_text("Your sign-in has ended.")
        await desk.press("Escape")
        await expect(desk.page.get_by_role("dialog")).to_be_visible()
        await sign_in(desk, await people.secret("bo", "reviewer", "new"))
        await expect(desk.page.locator("#who")).to_have_text("bo-new (reviewer)")
        await desk.page.get_by_role("button", name="Reject").click()
        await desk.is_told("bo-new rejected")
        decision = (await office.gate.get(plan.plan_uri)).review.decisions[0]
        assert (decision.reviewer, decision.feedback_text) == ("bo-new", "Not the cellar.")


async def test_another_person_begins_anew(office: Room) -> None:
    """A decision that waited for the sign-in is not sent under the name of whoever signs in."""
    plan = await office.gate.propose()
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        desk = await stack.enter_async_context(office.desk(await people.secret("bo", "reviewer", "desk")))
        await desk.page.route("**/api/live", lambda route: route.abort())
        await desk.read(plan)
        await revoke(office, "bo-desk")
        await desk.choice("Approve").click()
        await sign_in(desk, await people.secret("cy", "reviewer", "desk"))
        await desk.can_decide()
        await expect(desk.page.locator("#who")).to_have_text("cy-desk (reviewer)")
        assert not (await office.gate.get(plan.plan_uri)).review.decisions


async def test_signing_out(desk: Desk) -> None:
    """By the keyboard, from every page; then the page asks who is there and shows nothing."""
    await desk.page.locator("#who").focus()
    await desk.press("Enter")
    await desk.page.get_by_role("button", name="Sign out").click()
    await expect(desk.page.get_by_role("dialog")).to_contain_text("Sign in")
    await desk.page.reload()
    await expect(desk.page.get_by_role("dialog")).to_contain_text("Open the link that the server printed")
    await expect(desk.page.get_by_role("alert")).to_have_count(0)
    await expect(desk.page.locator("main")).to_be_empty()


async def test_what_was_typed_goes_with_whoever_typed_it(office: Room) -> None:
    """Signing out takes it away; the next person in the same tab finds nothing, the same person neither."""
    plan = await office.gate.propose()
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        bo, cy = [await people.secret(person, "reviewer", "desk") for person in ("bo", "cy")]
        desk = await stack.enter_async_context(office.desk(bo))
        await desk.read(plan)
        await desk.press("e")
        await desk.page.get_by_label("Name", exact=True).fill("Typed by bo")
        await desk.press("Escape")
        await sign_out(desk)
        for token in (cy, bo):
            await sign_in(desk, token)
            await expect(desk.page.locator("#line")).to_have_text("Live")
            await desk.read(plan)
            await desk.press("e")
            await expect(desk.page.get_by_label("Name", exact=True)).not_to_have_value("Typed by bo")
            await desk.press("Escape")
            await sign_out(desk)


async def test_words_are_kept_for_one_person(office: Room) -> None:
    """Whoever takes over without a sign-out finds nothing; whoever typed them finds them again."""
    plan = await office.gate.propose()
    async with AsyncExitStack() as stack:
        people = People(office.gate, stack)
        bo, cy = [await people.secret(person, "reviewer", "desk") for person in ("bo", "cy")]
        desk = await stack.enter_async_context(office.desk(bo))
        await desk.read(plan)
        await desk.choice("Reject").click()
        await desk.page.locator(".words-form textarea").fill("Said by bo.")
        for token, words in ((cy, ""), (bo, "Said by bo.")):
            await desk.page.context.clear_cookies()
            await desk.page.reload()
            await sign_in(desk, token)
            await desk.can_decide()
            await desk.choice("Reject").click()
            await expect(desk.page.locator(".words-form textarea")).to_have_value(words)


async def test_a_sign_out_that_fails(desk: Desk) -> None:
    """The page says so and offers to try again."""
    await desk.page.route("**/sign-out", lambda route: route.abort())
    await desk.page.locator("#who").click()
    await desk.page.get_by_role("button", name="Sign out").click()
    await expect(desk.page.get_by_role("alert")).to_contain_text(
        "You are still signed in: The gate does not answer."
    )
    await desk.page.unroute("**/sign-out")
    await desk.page.get_by_role("button", name="Try again").click()
    await expect(desk.page.get_by_role("dialog")).to_contain_text("Sign in")


async def test_the_link_a_second_time(own_gate: Room) -> None:
    """Who is signed in needs no link, and is shown the page; anybody else is asked for a token."""
    async with own_gate.desk() as desk:
        await desk.page.goto("about:blank")
        await desk.page.goto(own_gate.opened.link)
        await expect(desk.page.locator("#line")).to_have_text("Live")
        await expect(desk.page.get_by_role("dialog")).to_have_count(0)
        await desk.page.goto("about:blank")
        await desk.page.context.clear_cookies()
        await desk.page.goto(own_gate.opened.link)
        await expect(desk.page.get_by_role("dialog")).to_contain_text("Sign in")


async def test_a_gate_that_is_not_ready(desk: Desk) -> None:
    """A page that cannot begin says why, and begins when it is told to try again."""
    busy = {"error": {"code": "UNAVAILABLE", "message": "the database does not answer"}}
    await desk.page.route("**/WhoAmI", lambda route: route.fulfill(status=503, json=busy))
    await desk.page.reload()
    await expect(desk.page.get_by_role("alert")).to_contain_text("the database does not answer")
    await expect(desk.page.locator("#line")).to_have_text("Not connected")
    await desk.page.unroute("**/WhoAmI")
    await desk.page.get_by_role("button", name="Try again").click()
    await desk.sees("Nothing waits")


async def test_an_address_that_is_no_text(desk: Desk) -> None:
    """It is said that there is no such page."""
    await desk.open("/plans/%ff")
    await desk.sees("There is no such page")
    await expect(desk.page.locator("#line")).to_have_text("Live")
