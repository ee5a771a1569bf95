"""Who is calling. Until there are tokens, the server listens on loopback only and everyone there is the
one local user, in the one workspace.
"""

from __future__ import annotations

from typing import Final

from plangate_server.domain.identity import Principal, Role

LOCAL: Final = Principal(name="local", workspace="default", role=Role.ADMIN, person="local")
