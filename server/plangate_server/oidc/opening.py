"""From the operator's file to what checks tokens."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path

from plangate_server.oidc.keyring import KeyRing
from plangate_server.oidc.reader import read_oidc
from plangate_server.oidc.rules import OidcRules
from plangate_server.oidc.sources import key_source
from plangate_server.oidc.tokens import JwtTokens
from plangate_server.plainyaml import FileProblems, load_file


def open_oidc(path: Path) -> JwtTokens:
    """What checks the tokens of the file's provider. Raises FileProblems if the file is not sound.

    The keys are asked for at once, for some seconds at most. A provider that is away keeps nobody from
    starting: its tokens are refused until it is back.
    """
    rules = load_oidc(path)
    try:
        signatures = import_module("plangate_server.oidc.signatures")
    except ModuleNotFoundError as missing:
        words = f"{path}: OIDC needs PyJWT and cryptography: pip install 'plangate[oidc]'"
        raise FileProblems([words]) from missing
    ring = KeyRing(key_source(rules.jwks), signatures.read_keys)
    ring.load()
    return JwtTokens(rules, ring)


def load_oidc(path: Path) -> OidcRules:
    """The rules in a file, or FileProblems."""
    rules = load_file(path, partial(read_oidc, folder=path.parent))
    assert rules is not None  # or it would have been noted why not
    return rules
