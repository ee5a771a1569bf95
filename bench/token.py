"""The token that load shows to servers of the bench, which live for minutes on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

TOKEN: Final = f"plangate_{'0' * 32}_{'0' * 32}"


@contextmanager
def token_folder() -> Iterator[Path]:
    """A folder for a server to find the token in, as an admin's."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "admin.token")
        file.touch(mode=0o600)
        file.write_text(TOKEN, encoding="ascii")
        yield Path(folder)
