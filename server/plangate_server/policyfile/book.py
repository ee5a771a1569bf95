"""The policy that holds now."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from plangate_server.domain.policy import Policy
from plangate_server.logs import Log
from plangate_server.policyfile.loading import PolicyProblems, load_policy
from plangate_server.policyfile.rules import unread_files
from plangate_server.policyfile.summary import summary

tell = Log(__name__)


class PolicyBook:
    """Keeps the policy of a file, and reads it again when told; what cannot be read changes nothing."""

    def __init__(self, path: Path | None = None) -> None:
        """Raises PolicyProblems if the file is not sound. Without a file, the default policy holds."""
        self._path = path
        self._current = Policy() if path is None else load_policy(path)
        self._reading = Lock()
        self._tell_unread()

    @property
    def current(self) -> Policy:
        return self._current

    def reload(self) -> None:
        """Read the file again. A problem is logged, and the last policy that was sound goes on."""
        if self._path is None:
            tell.info(
                "policy_absent", "there is no policy file to read again: start with --policy FILE to have one"
            )
            return
        with self._reading:
            problems = self._read(self._path)
        for problem in problems:
            tell.error("policy_problem", problem)
        if problems:
            tell.error("policy_kept", f"{self._path}: the policy from before goes on")
        else:
            tell.info("policy_read", f"{self._path}: read again: {summary(self._current)}")
            self._tell_unread()

    def _tell_unread(self) -> None:
        for problem in unread_files(self._current):
            tell.error("policy_file_unread", f"{self._path}: {problem}")

    def _read(self, path: Path) -> list[str]:
        """Take what the file says, or tell what is wrong with it."""
        try:
            self._current = load_policy(path)
        except PolicyProblems as found:
            return found.problems
        except Exception as unforeseen:
            tell.fault("policy_failed", "the policy file cannot be read", unforeseen)
            return [f"{path}: cannot be read: {type(unforeseen).__name__}"]
        return []
