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
