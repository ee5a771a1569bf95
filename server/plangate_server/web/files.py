"""The files that the page is made of, in memory: packed once, and kept by browsers for good.

Their addresses have a mark made of all of them, so that after an update there are others. While servers are
updated in turn, a page may come from one and its files from another: it gets what is here, and keeps nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FILES: Final = Path(__file__).with_name("static")
FOREVER: Final = "public, max-age=31536000, immutable"


class File(Struct, frozen=True):
    kind: str
    plain: bytes
    packed: bytes


def read_files() -> Mapping[str, File]:
    """Every file by its path below the folder."""
    return {path.relative_to(FILES).as_posix(): _read(path) for path in sorted(FILES.rglob("*.*"))}


def mark_of(files: Mapping[str, File]) -> str:
    """Another one, if anything in any of them is another."""
    whole = hashlib.sha256()
    for path, file in files.items():
        whole.update(f"{path} {len(file.plain)}\n".encode() + file.plain)
    return whole.hexdigest()[:12]


def file_route(files: Mapping[str, File], mark: str) -> Route:
    async def answer(request: Request) -> Response:
        file = files.get(request.path_params["path"])
        if file is None:
            return Response(status_code=404)
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        headers = {"Vary": "Accept-Encoding"}
        if request.path_params["mark"] == mark:
            headers["Cache-Control"] = FOREVER
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        return Response(file.packed if is_packed else file.plain, headers=headers, media_type=file.kind)

    return Route("/static/{mark}/{path:path}", answer, methods=["GET"])


def _read(path: Path) -> File:
    plain = path.read_bytes()
    kind = mimetypes.types_map[path.suffix]
    return File(kind, plain, gzip.compress(plain, mtime=0))
