"""The page: one document for every address, and the files that it is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from starlette.middleware.gzip import GZipMiddleware
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


class Files(StaticFiles):
    """Kept by browsers, who ask each time whether there is another: after an update there is."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


def page_routes() -> list[BaseRoute]:
    async def page(_: Request) -> Response:
        return FileResponse(FILES / "index.html")

    # Only these are packed: they are the same for everybody, so their length says nothing of anyone.
    files = Mount("/static", GZipMiddleware(Files(directory=FILES)))
    return [*(Route(address, page, methods=["GET"]) for address in ADDRESSES), files]
