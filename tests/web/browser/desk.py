"""A person at a browser, in front of a gate that runs in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Locator, Page, expect

from plangate_proto.agent.v1.access_token_service_pb2 import CreateTokenRequest, Role
from plangate_proto.agent.v1.plan_resource_pb2 import Plan
from tests.helpers.conditions import PATIENCE
from tests.helpers.gate import Gate, connected
from tests.helpers.gate_process import Opened, opened_gate
from tests.helpers.tokens import ADMIN, local_token

WIDE = (1280, 800)
PHONE = (390, 844)
NARROW = (320, 568)
NAMES = {"agent": "local-agent", "reviewer": "ada", "admin": ADMIN}

expect.set_options(timeout=PATIENCE * 1000)


def module(name: str) -> str:
    """In JavaScript: a module of the page, as it runs there."""
    return f"import(new URL('{name}.js', document.querySelector('script[type=module]').src))"


@dataclass
class Desk:
    """One browser window. What goes wrong in it, and what it asks of whom, is kept."""

    page: Page
    opened: Opened
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def choices(self) -> Locator:
        return self.page.get_by_role("region", name="Your decision")

    @property
    def no_line(self) -> Locator:
        """The banner that says that the page hears nothing; others may stand beside it."""
        return self.page.locator("[data-banner=line]")

    def choice(self, label: str) -> Locator:
        return self.page.locator(".choice", has_text=label)

    async def open(self, path: str = "/") -> None:
        await self.page.goto(f"http://{self.opened.web}{path}")

    async def read(self, plan: Plan) -> None:
        """Open the plan and wait until it can be decided about."""
        await self.open(f"/plans/{plan.plan_id}")
        await self.can_decide()

    async def can_decide(self) -> None:
        await expect(self.choice("Approve")).to_have_attribute("aria-disabled", "false")

    async def calm(self) -> None:
        """Wait until what is shown has been there for a moment, as a person would."""
        await self.page.evaluate(f"{module('ui/settling')}.then((calm) => new Promise(calm.whenSettled))")

    async def hold_time(self) -> None:
        """From now on no moment passes on the page: what changes on it has changed just now."""
        await self.page.evaluate("((now) => { performance.now = () => now; })(performance.now())")

    async def let_time_pass(self) -> None:
        await self.page.evaluate("delete performance.now")

    async def press(self, key: str) -> None:
        await self.page.keyboard.press(key)

    async def sees(self, text: str) -> None:
        await expect(self.page.get_by_text(text).first).to_be_visible()

    async def agree(self, label: str) -> None:
        """Answer the question that is asked with yes, once it can be."""
        yes = self.page.get_by_role("dialog").get_by_role("button", name=label)
        await expect(yes).to_have_attribute("aria-disabled", "false")
        await yes.click()

    async def is_told(self, words: str) -> None:
        """What the panel beside the plan says."""
        await expect(self.page.locator(".decide")).to_contain_text(words)


@dataclass
class Room:
    """The gate, and browsers in front of it."""

    gate: Gate
    opened: Opened
    browser: Browser
    tokens: Mapping[str, str] = field(default_factory=dict)
    """By role, those of a workspace of its own; without them it is the operator's, with the local ones."""

    def token(self, role: str) -> str:
        return self.tokens.get(role) or local_token(role)

    @asynccontextmanager
    async def workspace(self, name: str) -> AsyncIterator[Room]:
        """The same gate for others: nobody there sees what happens in another workspace."""
        tokens = {role: await self._made(name, role, who) for role, who in NAMES.items()}
        async with connected(self.opened.grpc, token=tokens["admin"]) as gate:
            yield replace(self, gate=gate, tokens=tokens)

    async def _made(self, workspace: str, role: str, name: str) -> str:
        """Named like the local token of the role."""
        wanted = CreateTokenRequest(
            name=name, person=NAMES["reviewer"], role=Role.Value(f"ROLE_{role.upper()}"), workspace=workspace
        )
        return (await self.gate.tokens.CreateToken(wanted)).secret

    @asynccontextmanager
    async def desk(
        self,
        token: str = "",
        size: tuple[int, int] = WIDE,
        dark: bool = False,
        line: str = "Live",
        **options: Any,
    ) -> AsyncIterator[Desk]:
        """A browser of its own, signed in with the token, or else as a reviewer of the workspace; as one of
        the operator's, by the link that the gate printed.

        It is there when the page says so of its line.
        """
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            **options,
        )
        context.set_default_timeout(PATIENCE * 1000)
        desk = Desk(await context.new_page(), self.opened)
        _listen(desk)
        try:
            await self._sign_in(desk, token or self.tokens.get("reviewer", ""))
            await expect(desk.page.locator("#line")).to_have_text(line)
            yield desk
        finally:
            await context.close()
        assert not desk.faults, desk.faults

    async def _sign_in(self, desk: Desk, token: str) -> None:
        await desk.page.goto(f"http://{self.opened.web}/" if token else self.opened.link)
        if token:
            await desk.page.get_by_label("Token").fill(token)
            await desk.page.get_by_role("button", name="Sign in").click()


def _listen(desk: Desk) -> None:
    def written(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            desk.faults.append(message.text)

    desk.page.on("pageerror", lambda error: desk.faults.append(str(error)))
    desk.page.on("console", written)
    desk.page.on("request", lambda request: desk.requests.append(request.url))


@asynccontextmanager
async def room(browser: Browser, folder: Path, policy: Path | None = None) -> AsyncIterator[Room]:
    with opened_gate(folder, policy=policy) as opened:
        async with connected(opened.grpc, token=local_token("admin")) as gate:
            yield Room(gate, opened, browser)
