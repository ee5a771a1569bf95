"""Callers who show a JWT of an OpenID Connect provider: the operator's file, the keys, the checks."""

from plangate_server.oidc.opening import load_oidc, open_oidc
from plangate_server.oidc.tokens import JwtTokens

__all__ = ["JwtTokens", "load_oidc", "open_oidc"]
