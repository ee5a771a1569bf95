"""The settings of TLS: all that belong together, or none."""

from pathlib import Path

import pytest

from plangate_server.settings import read_settings
from tests.unit.test_settings import Capture, refusal


def test_without_them_there_is_no_tls() -> None:
    """Nothing is looked for by itself."""
    settings = read_settings([], {})
    assert (settings.tls_cert, settings.tls_key, settings.tls_client_ca) == (None, None, None)


def test_they_may_come_from_different_places() -> None:
    """A flag for one and the environment for the other are both."""
    settings = read_settings(["--tls-cert", "a.pem"], {"PLANGATE_TLS_KEY": "a.key"})
    assert (settings.tls_cert, settings.tls_key) == (Path("a.pem"), Path("a.key"))


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (["--tls-cert", "a"], {}, "--tls-cert sets tls_cert, which needs tls_key, too: set --tls-key or"),
        ([], {"PLANGATE_TLS_KEY": "a"}, "PLANGATE_TLS_KEY sets tls_key, which needs tls_cert, too"),
        (["--tls-client-ca", "a"], {}, "--tls-client-ca sets tls_client_ca, which needs tls_cert, too"),
        (["--tls-cert", "", "--tls-key", "a"], {}, "--tls-cert is empty: name a file, or leave it out"),
    ],
)
def test_half_of_it_is_refused(
    arguments: list[str], environment: dict[str, str], said: str, capsys: Capture
) -> None:
    """Whoever wants TLS does not get a gate without it."""
    assert said in " ".join(refusal(capsys, arguments, environment).split())
