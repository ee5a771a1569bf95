"""The policy that holds now is always one that was read whole."""

import logging
import threading
from pathlib import Path

import pytest

from plangate_server.domain.policy import CallRules, Policy
from plangate_server.policyfile import PolicyBook, PolicyProblems, book
from tests.helpers.conditions import PATIENCE
from tests.helpers.policies import FULL, policy_of

OTHER = "deny:\n  - {name: nobody, tools: ['*']}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(FULL, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def every_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def test_without_a_file_the_default_holds(caplog: pytest.LogCaptureFixture) -> None:
    """Reading again changes nothing then, and says so."""
    policies = PolicyBook()
    policies.reload()
    assert policies.current == Policy()
    assert "there is no policy file to read again" in caplog.text


def test_a_file_that_is_not_sound_opens_no_book(path: Path) -> None:
    """At the start there is no policy from before to go on with."""
    path.write_text("dney: []", encoding="utf-8")
    with pytest.raises(PolicyProblems):
        PolicyBook(path)


def test_reading_again_takes_what_the_file_says_now(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The next one who asks gets the new policy; whoever holds the old one keeps it."""
    policies = PolicyBook(path)
    before = policies.current
    path.write_text(OTHER, encoding="utf-8")
    policies.reload()
    assert (before, policies.current) == (policy_of(FULL), policy_of(OTHER))
    assert f"{path}: read again: 1 deny, 0 allow, 0 auto_approve, 0 tool rules" in caplog.messages


@pytest.mark.parametrize("broken", ["", "deny: [", "dney: []\nalow: []\n", "\0", None])
def test_what_cannot_be_read_changes_nothing(
    path: Path, broken: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """The last policy that was sound goes on, and every problem is logged on a line of its own."""
    policies = PolicyBook(path)
    before = policies.current
    path.unlink() if broken is None else path.write_text(broken, encoding="utf-8")
    policies.reload()
    assert policies.current is before
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == (3 if broken and "alow" in broken else 2)
    assert all(message.startswith(f"{path}:") and "\n" not in message for message in errors)
    assert errors[-1] == f"{path}: the policy from before goes on"


def test_a_mended_file_is_taken(path: Path) -> None:
    """A problem is not remembered."""
    policies = PolicyBook(path)
    path.write_text("deny: [", encoding="utf-8")
    policies.reload()
    path.write_text(OTHER, encoding="utf-8")
    policies.reload()
    assert policies.current == policy_of(OTHER)


def test_nothing_that_goes_wrong_comes_out(
    path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even what nobody foresaw leaves the policy in force, and is in the log with all that is known."""
    policies = PolicyBook(path)

    def fail(path: Path) -> Policy:
        raise ZeroDivisionError

    monkeypatch.setattr(book, "load_policy", fail)
    policies.reload()
    assert policies.current == policy_of(FULL)
    assert "Traceback" in caplog.text
    assert f"{path}: cannot be read: ZeroDivisionError" in caplog.messages


def test_two_that_read_at_once_end_with_the_last(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow first reading does not undo a later one."""
    policies = PolicyBook(path)
    first_reads, go_on = threading.Event(), threading.Event()
    answers = iter([CallRules(), policy_of(FULL).calls])

    def slowly(path: Path) -> Policy:
        calls = next(answers)
        if not first_reads.is_set():
            first_reads.set()
            assert go_on.wait(PATIENCE)
        return Policy(calls=calls)

    monkeypatch.setattr(book, "load_policy", slowly)
    threads = [threading.Thread(target=policies.reload) for _ in range(2)]
    threads[0].start()
    assert first_reads.wait(PATIENCE)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert policies.current == Policy(calls=policy_of(FULL).calls)
