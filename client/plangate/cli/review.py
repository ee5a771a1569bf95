"""``plangate review``: inbox, plans and tool calls on the whole screen."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from importlib.util import find_spec

from plangate._aio import AsyncClient
from plangate._common.text_safety import visible
from plangate._tokens import REVIEWER
from plangate.cli._asking import is_somebody_there
from plangate.cli._exits import DONE, WRONG_USAGE
from plangate.cli._gate import CommandError, complaining
from plangate.cli._parsing import add_target

WITHOUT = "use 'plangate pending', 'show' and 'approve'"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Shows what waits as it arrives, plans and tool calls. Enter opens and approves, Esc rejects with "
        "words, ? shows all keys. Needs the extra: pip install 'plangate[tui]'."
    )
    add_target(parser)


def run(given: argparse.Namespace) -> int:
    if find_spec("textual") is None:
        print("plangate: to review on the whole screen, pip install 'plangate[tui]'", file=sys.stderr)
        return WRONG_USAGE
    with complaining():
        if not (is_somebody_there() and sys.stdout.isatty()):
            raise CommandError(f"a full screen needs a terminal: run it in one, or {WITHOUT}")
        if os.environ.get("TERM", "dumb") in {"dumb", "unknown"}:
            raise CommandError(f"this terminal cannot be drawn on (TERM): run it in another, or {WITHOUT}")
        for name in ("COLUMNS", "LINES"):  # of another terminal, maybe; this one is asked, and may change
            os.environ.pop(name, None)
        return asyncio.run(_review(given))


async def _review(given: argparse.Namespace) -> int:
    """Until the person leaves, or something else ends it."""
    from plangate.tui.app import ReviewApp  # noqa: PLC0415, needs an extra
    from plangate.tui.desk import Connection, Desk  # noqa: PLC0415, needs an extra

    connection = Connection()
    try:
        client = AsyncClient(given.target, role=REVIEWER, on_line=connection.tell)
    except ValueError as error:
        raise CommandError(str(error)) from None
    async with client:
        desk = Desk(client, await client.who_am_i(), connection)
        app = ReviewApp(desk)
        words = await app.run_async(mouse=False)
    if words:
        raise CommandError(visible(words))
    return app.return_code or DONE
