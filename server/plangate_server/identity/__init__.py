"""Who calls: the tokens that the gate knows, and those it leaves for its own user."""

from plangate_server.identity.keyring import Keyring
from plangate_server.identity.local_tokens import (
    LOCAL_ROLES,
    TokenFileProblem,
    local_credentials,
    local_token,
    observer,
)

__all__ = ["LOCAL_ROLES", "Keyring", "TokenFileProblem", "local_credentials", "local_token", "observer"]
