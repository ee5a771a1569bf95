"""Files right in a directory, by their names. Nothing there is ever followed to somewhere else."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import uuid
from pathlib import Path
from typing import Final, NamedTuple, Self

from plangate.planfile.characters import MOST_BYTES

PART: Final = ".part"
"""How files end that are still being written."""
_NOT_FOLLOWED: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotAFile(Exception):
    """There is something of that name which is not read and not replaced; the words say what."""


class Changed(Exception):
    """Somebody was faster: the file is no longer the one that was looked at."""


class Stamp(NamedTuple):
    """Which file it is, and when it was last written."""

    inode: int
    size: int
    written: int


class Directory:
    """A directory that was opened once: also if its path comes to mean another one, this one is meant."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self.path = path

    @classmethod
    def opened(cls, path: Path) -> Self:
        """The directory at a path that a person gave, wherever links lead."""
        return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), path)

    def within(self, name: str) -> Directory:
        """A directory of it, made if it is missing; NotAFile if the name leads elsewhere."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=self._descriptor)
        try:
            descriptor = os.open(name, _NOT_FOLLOWED | os.O_DIRECTORY, dir_fd=self._descriptor)
        except NotADirectoryError:
            raise NotAFile(f"{self.path / name} is no directory of its own: move it away") from None
        return Directory(descriptor, self.path / name)

    def close(self) -> None:
        os.close(self._descriptor)

    def names(self, ending: str) -> list[str]:
        with os.scandir(self._descriptor) as entries:
            return sorted(entry.name for entry in entries if entry.name.endswith(ending))

    def read(self, name: str) -> bytes | None:
        """What the file holds; None if there is none. NotAFile if it is something else, or too large."""
        try:
            descriptor = os.open(name, _NOT_FOLLOWED, dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.EMLINK}:
                raise NotAFile("it is a symbolic link, which is not followed") from None
            raise NotAFile(f"it cannot be read: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise NotAFile("it is no file")
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise NotAFile(f"it has more than {MOST_BYTES // 1024**2} MiB: no plan is that large")
        return data

    def stamp(self, name: str) -> Stamp | None:
        try:
            found = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return None
        return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)

    def put(self, name: str, data: bytes, parts: Directory, over: str | None = None) -> None:
        """Have the file hold this and nothing less, also after a power loss; what is half written is in
        ``parts``, which is on the same disk. ``over`` is the hash of what may be replaced, empty for
        nothing; Changed, if it is something else.
        """
        part = f".plangate-{uuid.uuid4().hex}{PART}"
        try:
            parts._write(part, data, self._mode(name))
            if over is not None:
                self._check(name, over)
            os.replace(part, name, src_dir_fd=parts._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            parts.remove(part)
            raise
        os.fsync(self._descriptor)

    def _check(self, name: str, expected: str) -> None:
        if self.hash(name) != expected:
            raise Changed(name)

    def hash(self, name: str) -> str:
        """Of what the file holds; empty if there is none."""
        data = self.read(name)
        return "" if data is None else hash_of(data)

    def remove(self, name: str) -> None:
        try:
            os.unlink(name, dir_fd=self._descriptor)
        except FileNotFoundError:
            return
        os.fsync(self._descriptor)

    def opened_for_lock(self, name: str) -> int:
        """The descriptor of a file that is there for nothing else."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, 0o600, dir_fd=self._descriptor)

    def _mode(self, name: str) -> int | None:
        """Who may do what with the file, if there is one."""
        try:
            return stat.S_IMODE(os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return None

    def _write(self, name: str, data: bytes, mode: int | None) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o666, dir_fd=self._descriptor), "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
