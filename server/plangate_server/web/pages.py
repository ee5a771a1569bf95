"""The page: one document for every address, and the files that it is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

FILES: Final = Path(__file__).with_name("static")
ADDRESSES: Final = (
    "/",
    "/plans/{plan_id}",
    "/sessions",
    "/sessions/{session_id:path}",
    "/log",
)


def page_routes() -> list[BaseRoute]:
    async def page(_: Request) -> Response:
        return FileResponse(FILES / "index.html")

    files = Mount("/static", StaticFiles(directory=FILES))
    return [*(Route(address, page, methods=["GET"]) for address in ADDRESSES), files]
