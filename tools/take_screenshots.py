"""Takes docs/screenshots: what a person sees of the review page, at a gate where something has happened.

python -m tools.take_screenshots           all of them
python -m tools.take_screenshots inbox     only those that are named
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

from playwright.async_api import async_playwright

from bench.chromium import started
from tests.web.browser.shots import FOLDER, SHOTS, take


async def take_here(names: Collection[str]) -> None:
    """With a browser and a gate that are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="plangate-shots-") as home:
        os.environ.update(PLANGATE_TOKEN_DIR=str(Path(home, "tokens")), LOGNAME="ada")
        async with async_playwright() as playwright, started(playwright) as browser:
            await take(browser, Path(home), FOLDER, names)


def main() -> int:
    parser = argparse.ArgumentParser(description="Takes docs/screenshots.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; left out, all")
    names: list[str] = parser.parse_args().names
    if unknown := set(names) - set(SHOTS):
        print(f"there is no {', '.join(sorted(unknown))}: there are {', '.join(SHOTS)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    asyncio.run(take_here(names or SHOTS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
