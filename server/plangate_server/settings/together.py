"""Settings that mean something only together."""

from __future__ import annotations

from typing import Final

from plangate_server.settings.sources import Given

NEEDS: Final = (("tls_cert", "tls_key"), ("tls_key", "tls_cert"), ("tls_client_ca", "tls_cert"))
"""Whoever sets the first must set the second, too."""


def check_together(given: list[Given]) -> None:
    """A ValueError says which one is missing: half of TLS must not open a gate without it."""
    by_name = {each.setting.name: each for each in given}
    for name, needed in NEEDS:
        if by_name[name].text is not None and by_name[needed].text is None:
            setting = by_name[needed].setting
            raise ValueError(
                f"{by_name[name].source} sets {name}, which needs {needed}, too: set {setting.flag} or "
                f"{setting.variable}, or leave both out"
            )
