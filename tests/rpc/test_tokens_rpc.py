"""Tokens over the socket: made, listed, revoked, and what is recorded of that."""

import re

import grpc
import pytest

from plangate_proto.agent.v1.access_token_service_pb2 import (
    CreateTokenRequest,
    ListTokensRequest,
    RevokeTokenRequest,
    Role,
    Token,
    WhoAmIRequest,
    WhoAmIResponse,
)
from plangate_proto.agent.v1.review_event_pb2 import ReviewEvent
from tests.helpers.gate import Gate, connected
from tests.helpers.identities import make_token, revoke, token_request
from tests.helpers.raw_calls import raw_call
from tests.helpers.refusals import refused
from tests.helpers.resuming import log_of
from tests.helpers.streams import types
from tests.helpers.tokens import ADMIN, local_token
from tests.helpers.tool_calls import span
from tests.rpc.bad_requests import Bad, over

SERVICE = "/agent.v1.TokenService/"
CREATE, LIST, REVOKE = SERVICE + "CreateToken", SERVICE + "ListTokens", SERVICE + "RevokeToken"
UNSEEN = ["a\nb", "a\x1b[31mb", "a\u202eb", "a\u200bb", "a\tb", "a\x7fb", "a\u2028b", "a\u00adb"]


async def who_is(gate: Gate, token: str) -> WhoAmIResponse:
    async with connected(gate.address, token=token) as bearer:
        return await bearer.tokens.WhoAmI(WhoAmIRequest())


async def is_taken(gate: Gate, token: str) -> bool:
    async with connected(gate.address, token=token) as bearer:
        try:
            await bearer.tokens.WhoAmI(WhoAmIRequest())
        except grpc.aio.AioRpcError as error:
            return error.code() is not grpc.StatusCode.UNAUTHENTICATED
        return True


async def listed(gate: Gate, **fields: object) -> list[Token]:
    return list((await gate.tokens.ListTokens(ListTokensRequest(**fields))).tokens)  # type: ignore[arg-type]


async def told_of_tokens(gate: Gate) -> list[ReviewEvent]:
    return [event for event in await log_of(gate) if types([event])[0].startswith("TOKEN_")]


async def test_a_token_is_who_it_was_made_for(gate: Gate) -> None:
    """Its bearer is known by the name, person, role and workspace that the admin said."""
    made = await make_token(gate, "reviewer", "ada-laptop", person="ada", workspace="acme")
    assert re.fullmatch(rf"plangate_{made.token.token_id}_[0-9a-f]{{32}}", made.secret)
    me = await who_is(gate, made.secret)
    known = (me.name, me.person, me.role, me.workspace)
    assert known == ("ada-laptop", "ada", Role.ROLE_REVIEWER, "acme")
    assert not me.HasField("expire_time")
    assert (made.token.created_by, made.token.certificate) == (ADMIN, "")


async def test_what_is_left_out(gate: Gate) -> None:
    """Whoever has no person answers for themselves; the workspace is the admin's own."""
    token = (await make_token(gate, "agent", "bot")).token
    assert (token.person, token.workspace, token.HasField("expire_time")) == ("bot", "default", False)


async def test_no_two_secrets_are_alike(gate: Gate) -> None:
    """Also for the same name: every token can be revoked alone."""
    made = [await make_token(gate, "agent", "bot") for _ in range(20)]
    assert len({each.secret for each in made}) == len({each.token.token_id for each in made}) == 20
    await revoke(gate, made[0].token)
    assert [await is_taken(gate, each.secret) for each in made[:2]] == [False, True]


async def test_the_bearer_knows_when_it_ends(gate: Gate) -> None:
    """As the answer said it."""
    made = await make_token(gate, "agent", seconds=3600)
    lasts = made.token.expire_time.ToNanoseconds() - made.token.create_time.ToNanoseconds()
    assert lasts == 3600 * 10**9
    assert (await who_is(gate, made.secret)).expire_time == made.token.expire_time


async def test_a_repeated_call_makes_no_second_token(gate: Gate) -> None:
    """The same request_id gives the same token without its secret; with another request it is refused."""
    request = token_request("agent", request_id="r1")
    first, again = await gate.tokens.CreateToken(request), await gate.tokens.CreateToken(request)
    assert (again.token, bool(first.secret), again.secret) == (first.token, True, "")
    assert await listed(gate) == [first.token]
    assert len(await told_of_tokens(gate)) == 1
    other = token_request("admin", request_id="r1")
    assert (await refused(gate.tokens.CreateToken(other))).reason == "REQUEST_ID_REUSED"


async def test_tokens_are_listed_oldest_first(gate: Gate) -> None:
    """In pages, without secrets, and those that ended only for whoever asks."""
    tokens = [(await make_token(gate, "agent", f"bot-{number}")).token for number in range(5)]
    tokens[1] = await revoke(gate, tokens[1])
    tokens.append((await make_token(gate, "agent", "late", seconds=1e-6)).token)
    assert await listed(gate) == [tokens[0], *tokens[2:5]]
    seen: list[Token] = []
    page_token = ""
    while True:
        request = ListTokensRequest(include_ended=True, page_size=2, page_token=page_token)
        page = await gate.tokens.ListTokens(request)
        seen += page.tokens
        if not (page_token := page.next_page_token):
            break
    assert seen == tokens


async def test_a_revoked_token_is_refused_at_once(gate: Gate) -> None:
    """On this node with the very next call; doing it again changes nothing and tells nobody."""
    made = await make_token(gate, "agent")
    assert await is_taken(gate, made.secret)
    ended = await revoke(gate, made.token)
    assert not await is_taken(gate, made.secret)
    assert ended.HasField("revoke_time")
    assert await revoke(gate, made.token) == ended
    assert types(await told_of_tokens(gate)) == ["TOKEN_CREATED", "TOKEN_REVOKED"]


async def test_an_admin_can_end_their_own(gate: Gate) -> None:
    """The answer is still theirs; it was the last."""
    made = await make_token(gate, "admin")
    async with connected(gate.address, token=made.secret) as admin:
        assert (await revoke(admin, made.token)).HasField("revoke_time")
        assert (await refused(admin.plans())).reason == "INVALID_CREDENTIALS"


async def test_local_tokens_are_not_the_databases(gate: Gate) -> None:
    """They are ended by removing their files: nobody locks out whoever runs the server over the socket."""
    token_id = local_token("admin").split("_")[1]
    assert (
        await refused(gate.tokens.RevokeToken(RevokeTokenRequest(token_id=token_id)))
    ).reason == "TOKEN_NOT_FOUND"
    assert await listed(gate, include_ended=True) == []


async def test_who_made_and_ended_tokens_is_in_the_log(gate: Gate) -> None:
    """With the id, role, name and person, and never the secret."""
    made = await make_token(gate, "reviewer", "ada-laptop", person="ada")
    await revoke(gate, made.token)
    events = await told_of_tokens(gate)
    assert types(events) == ["TOKEN_CREATED", "TOKEN_REVOKED"]
    for event in events:
        said = f"{made.token.token_id}: reviewer ada-laptop, of ada"
        assert (event.actor, event.message) == (ADMIN, said)
    assert made.secret.split("_")[2] not in str(await log_of(gate))


async def test_what_an_admin_of_the_operators_does_elsewhere_is_told_there(gate: Gate) -> None:
    """The log of the workspace has it, not the operator's own."""
    made = await make_token(gate, "admin", workspace="acme")
    assert await told_of_tokens(gate) == []
    async with connected(gate.address, token=made.secret) as acme:
        (event,) = await told_of_tokens(acme)
        assert (event.actor, types([event])) == (ADMIN, ["TOKEN_CREATED"])


async def test_an_admin_elsewhere_has_their_own_workspace_only(gate: Gate) -> None:
    """Naming another is refused alike, whether it is there or not."""
    theirs = await make_token(gate, "agent", workspace="acme")
    admin = await make_token(gate, "admin", workspace="elsewhere")
    async with connected(gate.address, token=admin.secret) as elsewhere:
        for workspace in ("acme", "default", "none"):
            for call in (
                elsewhere.tokens.CreateToken(token_request("agent", workspace=workspace)),
                elsewhere.tokens.ListTokens(ListTokensRequest(workspace=workspace)),
                elsewhere.tokens.RevokeToken(
                    RevokeTokenRequest(token_id=theirs.token.token_id, workspace=workspace)
                ),
            ):
                refusal = await refused(call)
                assert (refusal.status, refusal.reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")
                assert refusal.metadata["allowed"] == "admin of default"
        own = await make_token(elsewhere, "agent", workspace="elsewhere")
        assert own.token.workspace == "elsewhere"
        assert [token.name for token in await listed(elsewhere)] == ["admin", "agent"]
    assert await is_taken(gate, theirs.secret)


async def test_an_admin_of_the_operators_has_all_workspaces(gate: Gate) -> None:
    """Each by its name: a token is found where it is, and nowhere else."""
    made = await make_token(gate, "agent", workspace="acme")
    assert await listed(gate) == []
    assert await listed(gate, workspace="acme") == [made.token]
    wrong = RevokeTokenRequest(token_id=made.token.token_id)
    assert (await refused(gate.tokens.RevokeToken(wrong))).reason == "TOKEN_NOT_FOUND"
    assert (await revoke(gate, made.token)).HasField("revoke_time")


LONG = "ü" * 128 + "x"
GOOD = token_request("agent", "bot")


def wrong(**fields: object) -> CreateTokenRequest:
    request = CreateTokenRequest()
    request.CopyFrom(GOOD)
    for name, value in fields.items():
        request.ClearField(name)  # type: ignore[arg-type]
        request.MergeFrom(CreateTokenRequest(**{name: value} if value is not None else {}))  # type: ignore[arg-type]
    return request


BAD = {
    "no name": Bad(CREATE, "MISSING_FIELD", wrong(name=None), {"field": "name"}),
    "no role": Bad(CREATE, "MISSING_FIELD", wrong(role=None), {"field": "role"}),
    "an unknown role": Bad(CREATE, "INVALID_FIELD", wrong(role=77), {"field": "role"}),
    "no time": Bad(CREATE, "INVALID_FIELD", wrong(expires_after=span(0)), {"field": "expires_after"}),
    "the past": Bad(CREATE, "INVALID_FIELD", wrong(expires_after=span(-1)), {"field": "expires_after"}),
    "eternity": Bad(
        CREATE, "INVALID_FIELD", wrong(expires_after=span(3651 * 24 * 3600)), {"field": "expires_after"}
    ),
    "the gate's name": Bad(CREATE, "INVALID_FIELD", wrong(name="plangate"), {"field": "name"}),
    "the gate as person": Bad(CREATE, "INVALID_FIELD", wrong(person="plangate"), {"field": "name"}),
    "which one": Bad(REVOKE, "MISSING_FIELD", RevokeTokenRequest(), {"field": "token_id"}),
    "a negative page": Bad(LIST, "INVALID_FIELD", ListTokensRequest(page_size=-1), {"field": "page_size"}),
    "another page": Bad(
        LIST, "INVALID_PAGE_TOKEN", ListTokensRequest(page_token="x"), {"field": "page_token"}
    ),
    **{
        f"a long {field}": Bad(CREATE, "LIMIT_EXCEEDED", wrong(**{field: LONG}), over("id_bytes", 256, field))
        for field in ("name", "person", "workspace", "certificate")
    },
    **{
        f"{text!r} as {field}": Bad(CREATE, "INVALID_FIELD", wrong(**{field: text}), {"field": field})
        for text in UNSEEN
        for field in ("name", "person", "workspace", "certificate")
    },
}


@pytest.mark.parametrize("name", BAD)
async def test_bad_input_is_refused(empty_gate: Gate, name: str) -> None:
    """Also every character that nobody sees: names stand in logs and on terminals."""
    bad = BAD[name]
    bad.check(await refused(raw_call(empty_gate.channel, bad.method, bad.data())))
    assert await listed(empty_gate, include_ended=True) == []
