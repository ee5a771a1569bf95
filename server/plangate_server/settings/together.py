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
    _check_companions(by_name)
    for name, needed in NEEDS:
        if by_name[name].text is not None and by_name[needed].text is None:
            setting = by_name[needed].setting
            raise ValueError(
                f"{by_name[name].source} sets {name}, which needs {needed}, too: set {setting.flag} or "
                f"{setting.variable}, or leave both out"
            )


def _check_open(by_name: Mapping[str, Given]) -> None:
    """Whoever can be reached from elsewhere must not send tokens in the open by mistake."""
    if by_name["tls_cert"].text:
        return
    listen, web = by_name["listen"], by_name["web_listen"]
    if not by_name["plaintext"].text and not stays_here(listen.text or ""):
        raise ValueError(f"{_open(listen)}, or say --plaintext '{PLAINTEXT_WORDS}'")
    if not stays_here(web.text or ""):
        raise ValueError(_open(web))


def _open(given: Given) -> str:
    return (
        f"{given.source} {given.text!r} can be reached from other machines, which needs TLS: set "
        "--tls-cert and --tls-key ('plangate certs' makes some for a trial)"
    )


def _check_companions(by_name: Mapping[str, Given]) -> None:
    """What keeps files in step calls the gate as anybody does, and knows no CA and no certificate."""
    listen, file = by_name["listen"], by_name["approved_to"]
    assert listen.text
    for given, option in ((by_name["plans_dir"], ""), (file, "--approved-to ")):
        if given.text is not None and (by_name["tls_cert"].text or not stays_here(listen.text)):
            raise ValueError(
                f"{given.source} sets {given.setting.name}, which needs a gate on this machine without TLS: "
                f"leave it out, and run 'plangate sync {option}{given.text}' with a PLANGATE_TARGET"
            )
    for name in ("approved_workspace", "approved_session"):
        given = by_name[name]
        if file.text is None and given.text != given.setting.default_here():
            raise ValueError(
                f"{given.source} sets {name}, which goes with approved_to: set --approved-to FILE or "
                "PLANGATE_APPROVED_TO, or leave it out"
            )
