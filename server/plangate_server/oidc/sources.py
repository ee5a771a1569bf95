"""Where a provider's keys come from: a file, or a URL."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plangate_server.oidc.fetching import fetched
from plangate_server.oidc.keys import KeyProblem, KeySource

MOST_BYTES: Final = 1024 * 1024


def key_source(jwks: Path | str) -> KeySource:
    return KeyUrl(jwks) if isinstance(jwks, str) else KeyFile(jwks)


class KeyFile:
    is_near = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[int, ...] | None = None

    @property
    def shown(self) -> str:
        return str(self._path)

    def changed(self) -> bool:
        return self._stamp() != self._read

    def fetch(self) -> bytes:
        self._read = self._stamp()  # before the content: what is written meanwhile is read again
        try:
            if not self._path.is_file() and self._path.exists():  # a pipe, say, would be waited for
                raise KeyProblem("is not a file")
            with self._path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except (OSError, ValueError) as problem:  # ValueError: a name that cannot be one
            raise KeyProblem(f"cannot be read: {getattr(problem, 'strerror', problem)}") from None
        if len(content) > MOST_BYTES:
            raise KeyProblem(f"has more than {MOST_BYTES // 1024} KiB")
        return content

    def _stamp(self) -> tuple[int, ...] | None:
        """Changes whenever the file is written or replaced, also behind a symbolic link."""
        try:
            found = self._path.stat()
        except (OSError, ValueError):
            return None  # reading it says what is wrong
        return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class KeyUrl:
    is_near = False

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def shown(self) -> str:
        return self._url

    def changed(self) -> bool:
        return False

    def fetch(self) -> bytes:
        return fetched(self._url, MOST_BYTES)
