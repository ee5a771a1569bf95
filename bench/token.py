"""The token that load shows to servers of the bench, which live for minutes on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

TOKEN: Final = f"plangate_{'0' * 32}_{'0' * 32}"
OTHER_TOKEN: Final = f"plangate_{'1' * 32}_{'1' * 32}"
"""Of somebody else, who may decide and not run the gate."""
WRONG_TOKEN: Final = f"plangate_{'2' * 32}_{'2' * 32}"
"""Of nobody."""


@contextmanager
def token_folder() -> Iterator[Path]:
    """A folder for a server to find the tokens in, as an admin's and a reviewer's."""
    with TemporaryDirectory() as folder:
        for role, token in (("admin", TOKEN), ("reviewer", OTHER_TOKEN)):
            file = Path(folder, f"{role}.token")
            file.touch(mode=0o600)
            file.write_text(token, encoding="ascii")
        yield Path(folder)
