"""approved_to: a file that the server keeps current, and what goes with it."""

from pathlib import Path

import pytest

from plangate_server.settings import read_settings
from tests.unit.test_settings import Capture, refusal


def test_what_counts_for_the_file() -> None:
    """All of the operator's workspace, unless another one or a session is named."""
    plain = read_settings(["--approved-to", "PLAN.md"], {})
    told = (plain.approved_to, plain.approved_workspace, plain.approved_session)
    assert told == (Path("PLAN.md"), "default", None)
    named = ["--approved-to", "PLAN.md", "--approved-workspace", "acme", "--approved-session", "s"]
    settings = read_settings(named, {})
    assert (settings.approved_workspace, settings.approved_session) == ("acme", "s")
    assert read_settings([], {}).approved_to is None


@pytest.mark.parametrize("name", ["approved-workspace", "approved-session"])
def test_whose_approvals_without_a_file_is_refused(capsys: Capture, name: str) -> None:
    """Nobody should believe that it does something."""
    said = refusal(capsys, [f"--{name}", "s"])
    setting = name.replace("-", "_")
    assert f"--{name} sets {setting}, which goes with approved_to: set --approved-to FILE" in said


@pytest.mark.parametrize(
    ("text", "problem"), [("", "is empty: name one"), ("x" * 257, "has 257 bytes: at most 256")]
)
def test_what_names_no_session_is_refused(capsys: Capture, text: str, problem: str) -> None:
    """Empty is not left out, and what is too long names none."""
    assert problem in refusal(capsys, ["--approved-to", "PLAN.md", "--approved-session", text])


@pytest.mark.parametrize(
    "others",
    [
        ["--tls-cert", "cert.pem", "--tls-key", "key.pem"],
        ["--listen", "0.0.0.0:1", "--plaintext", "tokens and plans may be read on their way"],
    ],
)
def test_where_it_cannot_be_kept_is_refused(capsys: Capture, others: list[str]) -> None:
    """With TLS, or beyond this machine; the words have the command that does it there."""
    said = refusal(capsys, ["--approved-to", "PLAN.md", *others])
    assert "--approved-to sets approved_to, which needs a gate on this machine without TLS" in said
    assert "run 'plangate sync --approved-to PLAN.md' with a PLANGATE_TARGET" in said
