"""CreateToken, ListTokens and RevokeToken."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from plangate._common.text_safety import is_seen
from plangate_server.domain import limits
from plangate_server.domain.credentials import Credential, hash_secret, token_text
from plangate_server.domain.errors import (
    CertificateTaken,
    InvalidField,
    MissingField,
    RoleNotAllowed,
    TokenNotFound,
)
from plangate_server.domain.events import EventType, SessionChange, SessionEvent
from plangate_server.domain.identity import OPERATORS_WORKSPACE, Principal, Role
from plangate_server.domain.persons import same_person
from plangate_server.domain.review import SERVICE
from plangate_server.ports import Reading, RequestKey, World, Writing
from plangate_server.usecases.once import write_once
from plangate_server.usecases.paging import CHUNK, checked_size, chunks, fill_page, make_token, read_token

OPERATORS_ADMIN: Final = f"admin of {OPERATORS_WORKSPACE}"


class CreateToken(Struct, frozen=True):
    name: str
    role: Role | None
    person: str = ""
    workspace: str = ""
    certificate: str = ""
    expires_after: timedelta | None = None
    key: RequestKey | None = None


async def create_token(world: World, principal: Principal, command: CreateToken) -> tuple[Credential, str]:
    """The token and the text to bear, which is empty for a certificate and when the call is repeated."""
    _check(command)
    assert command.role
    admin = _admin_of(principal, command.workspace)
    if command.certificate and principal.workspace != OPERATORS_WORKSPACE:
        # Its name is the same in all workspaces: whoever took it first would have its holder.
        raise RoleNotAllowed(principal.role, [OPERATORS_ADMIN], "let certificates in")
    secret, now = "" if command.certificate else world.ids.secret(), world.clock.now()
    made = Credential(
        world.ids.new(),
        Principal(command.name, admin.workspace, command.role, command.person or command.name),
        now,
        admin.name,
        secret_hash=hash_secret(secret) if secret else "",
        certificate=command.certificate,
        expire_time=now + command.expires_after if command.expires_after else None,
    )

    def record(writing: Writing) -> SessionChange:
        _check_free(writing, made, now)
        event = SessionEvent(EventType.TOKEN_CREATED, now, admin.name, admin.workspace, message=_told(made))
        return SessionChange(events=(event,), credentials=(made,))

    (stored,) = (await write_once(world, admin, command.key, record)).credentials
    shown = secret and stored.credential_id == made.credential_id
    return stored, token_text(stored.credential_id, secret) if shown else ""


async def list_tokens(
    world: World, principal: Principal, workspace: str, page_size: int, page_token: str, *, ended: bool
) -> tuple[Sequence[Credential], str]:
    """A page of tokens, those that ended included if they are wanted, and where to go on."""
    size = checked_size(page_size, world.limits)
    admin = _admin_of(principal, workspace)
    scope = ("tokens", admin.workspace, ended)
    after = read_token(page_token, scope)
    now = world.clock.now()

    def look(reading: Reading) -> tuple[Sequence[Credential], str]:
        def read(last: str) -> Sequence[Credential]:
            return reading.credentials(after=last, limit=CHUNK)

        wanted = (
            each for each in chunks(read, after, attrgetter("credential_id")) if ended or each.holds(now)
        )
        page, more = fill_page(wanted, size, lambda _: 2 * limits.ID_BYTES)
        return page, make_token(page[-1].credential_id, scope) if more else ""

    return await world.store.read(admin.workspace, look)


async def revoke_token(
    world: World, principal: Principal, workspace: str, token_id: str, key: RequestKey | None
) -> Credential:
    """The token as it ended. On this node it is refused from now on."""
    if not token_id:
        raise MissingField("token_id", "say which token to revoke")
    admin = _admin_of(principal, workspace)
    now = world.clock.now()

    def record(writing: Writing) -> SessionChange:
        found = writing.credential(token_id)
        if found is None:
            raise TokenNotFound(token_id)
        if found.revoke_time is not None:
            return SessionChange(credentials=(found,))
        event = SessionEvent(EventType.TOKEN_REVOKED, now, admin.name, admin.workspace, message=_told(found))
        return SessionChange(events=(event,), credentials=(replace(found, revoke_time=now),))

    (revoked,) = (await write_once(world, admin, key, record)).credentials
    await world.callers.refresh()
    return revoked


def _admin_of(principal: Principal, workspace: str) -> Principal:
    """The caller as an admin of the workspace."""
    if workspace in {"", principal.workspace}:
        return principal
    if principal.workspace != OPERATORS_WORKSPACE:
        raise RoleNotAllowed(principal.role, [OPERATORS_ADMIN], "look into another workspace")
    return replace(principal, workspace=workspace)


def _check(command: CreateToken) -> None:
    if not command.name:
        raise MissingField("name", "say who will bear the token")
    if command.role is None:
        raise MissingField("role", "say what its bearer may do")
    for field in ("name", "person", "workspace", "certificate"):
        text = getattr(command, field)
        limits.check_id(field, text)
        if not is_seen(text):
            raise InvalidField(field, "has characters that cannot be seen: leave them out")
    if any(same_person(SERVICE, each) for each in (command.name, command.person)):
        raise InvalidField(
            "name", f"is {SERVICE}, which stands for what the gate does by itself: take another"
        )
    limits.check_wait("expires_after", command.expires_after)


def _check_free(writing: Writing, wanted: Credential, now: datetime) -> None:
    """Of any workspace: a certificate stands for one caller."""
    for each in writing.certified(wanted.certificate) if wanted.certificate else ():
        if each.holds(now):
            raise CertificateTaken(each.credential_id)


def _told(credential: Credential) -> str:
    who = credential.principal
    return f"{credential.credential_id}: {who.role} {who.name}, of {who.person}"
