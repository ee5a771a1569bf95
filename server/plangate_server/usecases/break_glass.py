"""An admin can go past four_eyes and the number of approvals, with a reason that everybody can read."""

from __future__ import annotations

from plangate_server.domain import limits
from plangate_server.domain.errors import InvalidField, RoleNotAllowed
from plangate_server.domain.identity import Principal, Role

FIELD = "break_glass_reason"


def check_glass(principal: Principal, reason: str, *, yes: bool) -> None:
    """Refuse whoever may not, or need not."""
    if not reason:
        return
    if principal.role is not Role.ADMIN:
        raise RoleNotAllowed(principal.role, [Role.ADMIN], "break the glass")
    if not yes:
        raise InvalidField(FIELD, "goes with an approval only: anybody can say no")
    if not reason.strip():
        raise InvalidField(FIELD, "is blank: say why")
    limits.check_bytes(FIELD, reason, "feedback_bytes", limits.FEEDBACK_BYTES)
