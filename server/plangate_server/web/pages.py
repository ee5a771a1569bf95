"""The page: one document for every address, and the files that it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from plangate_server.web.files import file_route, mark_of, read_files

ADDRESSES: Final = (
    "/",
    "/plans/{plan_id}",
    "/sessions",
    "/sessions/{session_id:path}",
    "/log",
)


def page_routes() -> list[BaseRoute]:
    files = dict(read_files())
    mark = mark_of(files)
    document = _document(files.pop("index.html").plain.decode(), mark, files)

    async def page(_: Request) -> Response:
        return HTMLResponse(document)

    return [*(Route(address, page, methods=["GET"]) for address in ADDRESSES), file_route(files, mark)]


def _document(text: str, mark: str, paths: Iterable[str]) -> str:
    """With the addresses of this version's files; the scripts are asked for at once, not one by one."""
    links = [f'<link rel="modulepreload" href="/static/{path}">' for path in paths if path.endswith(".js")]
    return text.replace("</head>", "".join(links) + "</head>").replace('"/static/', f'"/static/{mark}/')
