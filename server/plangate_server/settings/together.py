"""Settings that mean something only together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plangate_server.settings.sources import Given
from plangate_server.settings.values import PLAINTEXT_WORDS, stays_here

NEEDS: Final = (("tls_cert", "tls_key"), ("tls_key", "tls_cert"), ("tls_client_ca", "tls_cert"))
"""Whoever sets the first must set the second, too."""


def check_together(given: list[Given]) -> None:
    """A ValueError says which one is missing: half of TLS must not open a gate without it."""
    by_name = {each.setting.name: each for each in given}
    _check_open(by_name)
    _check_plans_dir(by_name)
    for name, needed in NEEDS:
        if by_name[name].text is not None and by_name[needed].text is None:
            setting = by_name[needed].setting
            raise ValueError(
                f"{by_name[name].source} sets {name}, which needs {needed}, too: set {setting.flag} or "
                f"{setting.variable}, or leave both out"
            )


def _check_open(by_name: Mapping[str, Given]) -> None:
    """Whoever can be reached from elsewhere must not send tokens in the open by mistake."""
    listen = by_name["listen"]
    assert listen.text
    guarded = by_name["tls_cert"].text or by_name["plaintext"].text
    if not stays_here(listen.text) and not guarded:
        raise ValueError(
            f"{listen.source} {listen.text!r} can be reached from other machines, which needs TLS: set "
            "--tls-cert and --tls-key ('plangate certs' makes some for a trial), "
            f"or say --plaintext '{PLAINTEXT_WORDS}'"
        )


def _check_plans_dir(by_name: Mapping[str, Given]) -> None:
    """What keeps the folder in step calls the gate as anybody does, and knows no CA and no certificate."""
    folder, listen = by_name["plans_dir"], by_name["listen"]
    assert listen.text
    if folder.text is not None and (by_name["tls_cert"].text or not stays_here(listen.text)):
        raise ValueError(
            f"{folder.source} sets plans_dir, which needs a gate on this machine without TLS: leave it out, "
            f"and run 'plangate sync {folder.text}' with a PLANGATE_TARGET"
        )
