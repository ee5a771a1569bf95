"""plans_dir: a folder that the server keeps in step, where it can call itself without knowing more."""

from pathlib import Path

import pytest

from plangate_server.settings import read_settings
from tests.unit.test_settings import Capture, refusal


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "[::1]:1", "localhost:1", "unix:/run/gate.sock"])
def test_a_folder_on_this_machine(listen: str) -> None:
    """Wherever only this machine can call."""
    settings = read_settings(["--plans-dir", "plans", "--listen", listen], {})
    assert settings.plans_dir == Path("plans")
    assert read_settings([], {}).plans_dir is None


@pytest.mark.parametrize(
    "others",
    [
        ["--tls-cert", "cert.pem", "--tls-key", "key.pem"],
        ["--listen", "0.0.0.0:1", "--plaintext", "tokens and plans may be read on their way"],
    ],
)
def test_where_it_cannot_be_kept_is_refused(capsys: Capture, others: list[str]) -> None:
    """With TLS, or beyond this machine; the words have the command that does it there."""
    said = refusal(capsys, ["--plans-dir", "plans", *others])
    assert "--plans-dir sets plans_dir, which needs a gate on this machine without TLS" in said
    assert "run 'plangate sync plans' with a PLANGATE_TARGET" in said
