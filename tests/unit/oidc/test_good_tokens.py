"""Whom the gate takes the bearer of a good token for."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from plangate_server.domain.identity import Caller, Principal, Role
from plangate_server.oidc.compact import looks_like_jwt
from tests.helpers.oidc import (
    CLAIMS,
    NOW,
    RULES,
    Signer,
    claims,
    ec_signer,
    ed_signer,
    events,
    provider,
    rsa_signer,
)

SIGNERS = [
    rsa_signer(),
    rsa_signer("rsa-384", algorithm="RS384"),
    rsa_signer("pss", algorithm="PS256"),
    ec_signer(),
    ec_signer("ec-384", "ES384"),
    ec_signer("ec-512", "ES512"),
    ed_signer(),
]


@pytest.mark.parametrize("signer", SIGNERS, ids=lambda signer: signer.algorithm)
async def test_a_good_token_says_who_calls(signer: Signer) -> None:
    """Name, workspace, role and person are those of its claims, and it ends when it says."""
    caller = await provider(*SIGNERS).tokens.caller(signer.token())
    assert caller == Caller(
        Principal(name="ada", workspace="default", role=Role.REVIEWER, person="4711"),
        caller.credential_id,
        datetime.fromtimestamp(NOW + 600, UTC),
    )


@pytest.mark.parametrize(
    ("changes", "role"),
    [
        ({"groups": ["reviewers", "plangate-admins"]}, Role.ADMIN),
        ({"groups": "reviewers"}, Role.REVIEWER),
        ({"groups": [7, None, ["x"], "reviewers"]}, Role.REVIEWER),
        ({"groups": None, "realm_access": {"roles": ["watchers"]}}, Role.OBSERVER),
        ({"groups": None, "azp": "build-agent"}, Role.AGENT),
        ({"groups": ["staff"], "azp": "build-agent"}, Role.AGENT),
    ],
)
async def test_the_first_rule_that_fits_gives_the_role(changes: dict[str, object], role: Role) -> None:
    """In the order of the file, by a text or by a list that has it, also inside another claim."""
    caller = await provider(ed_signer()).tokens.caller(ed_signer().token(claims(**changes)))
    assert caller.principal.role is role


@pytest.mark.parametrize(
    "changes",
    [
        {"groups": None},
        {"groups": []},
        {"groups": ["reviewers2", "Reviewers", "staff reviewers", " reviewers"]},
        {"groups": "staff reviewers"},
        {"groups": {"reviewers": True}},
        {"groups": [["reviewers"]]},
        {"groups": 1},
        {"groups": True},
        {"groups": None, "realm_access": ["roles", "watchers"]},
        {"groups": None, "realm_access": {"roles": {"watchers": 1}}},
        {"groups": None, "realm_access.roles": ["watchers"]},
        {"groups": None, "realm_access": "watchers"},
    ],
)
async def test_whom_no_rule_fits_is_refused(changes: dict[str, object]) -> None:
    """A role is never guessed: neither from a part of a text, nor from a claim of another shape."""
    assert await provider(ed_signer()).refuses(ed_signer().token(claims(**changes)))


async def test_a_claim_can_name_the_workspace() -> None:
    """And without it, or with what cannot be one, the caller is refused."""
    rules = replace(RULES, workspace=("tenant", "id"))
    known = provider(ed_signer(), rules=rules)
    caller = await known.tokens.caller(ed_signer().token(claims(tenant={"id": "blue"})))
    assert caller.principal.workspace == "blue"
    for tenant in (None, "blue", {"id": ""}, {"id": 7}, {"id": "é" * 129}):
        assert await known.refuses(ed_signer().token(claims(tenant=tenant)))


@pytest.mark.parametrize(
    "name",
    ["", " ", " ada", "ada ", "a" * 1001, "a\nb", "a\0b", "a\x1b[2Jb", "a\u202eb", "\ud800", 7, True, ["a"]],
)
async def test_a_name_that_cannot_be_shown_is_refused(name: object) -> None:
    """Too long, with control characters or blanks at its ends, or no text at all."""
    assert await provider(ed_signer()).refuses(ed_signer().token(claims(preferred_username=name)))


@pytest.mark.parametrize("person", [None, "", "a" * 257, "é" * 129, "a\nb", 4711, {"id": "4711"}])
async def test_a_person_who_cannot_be_told_apart_is_refused(person: object) -> None:
    """Nobody is somebody else because a claim was cut off or turned into text."""
    assert await provider(ed_signer()).refuses(ed_signer().token(claims(sub=person)))


@pytest.mark.parametrize("name", ["plangate", "Plangate", "PLANGATE", "plan\uff47ate"])
async def test_nobody_is_named_like_the_service(name: str) -> None:
    """What the gate does by itself is told under its name: nobody else's deeds are, however it is written."""
    assert await provider(ed_signer()).refuses(ed_signer().token(claims(preferred_username=name)))
    assert await provider(ed_signer()).refuses(ed_signer().token(claims(sub=name)))
    taken = await provider(ed_signer()).tokens.caller(ed_signer().token(claims(sub=f"{name}-team")))
    assert taken.principal.person == f"{name}-team"


async def test_the_longest_names_are_taken() -> None:
    """1,000 characters for a name, 256 bytes for a person."""
    caller = await provider(ed_signer()).tokens.caller(
        ed_signer().token(claims(preferred_username="a" * 1000, sub="ä" * 128))
    )
    assert (len(caller.principal.name), len(caller.principal.person)) == (1000, 128)


async def test_a_credential_is_named_without_being_one() -> None:
    """The same token has the same id, another has another, and none can be had from the token's text."""
    known = provider(ed_signer())
    tokens = [ed_signer().token(claims(jti=jti)) for jti in ("a", "b", None, "\ud800", 7)]
    tokens.append(ed_signer().token(claims(jti=None, sub="4712")))
    ids = [(await known.tokens.caller(token)).credential_id for token in tokens]
    again = [(await provider(ed_signer()).tokens.caller(token)).credential_id for token in tokens]
    assert ids == again
    assert len(set(ids)) == len(ids)
    assert not any(part in token for token in tokens for part in ids)


async def test_a_token_may_be_for_several() -> None:
    """The audience is one of a list."""
    token = ed_signer().token(claims(aud=["account", "plangate"]))
    assert not await provider(ed_signer()).refuses(token)


async def test_clocks_may_differ_a_little() -> None:
    """By 30 seconds where a token begins; where it ends, not at all."""
    known = provider(ed_signer())
    for begin in ("nbf", "iat"):
        assert not await known.refuses(ed_signer().token(claims(**{begin: NOW + 30})))
        assert await known.refuses(ed_signer().token(claims(**{begin: NOW + 31})))
    assert not await known.refuses(ed_signer().token(claims(exp=NOW + 0.5)))
    assert await known.refuses(ed_signer().token(claims(exp=NOW)))


@pytest.mark.parametrize("typ", [None, "JWT", "jwt", "at+jwt", "application/at+jwt"])
async def test_access_tokens_and_id_tokens_are_taken(typ: str | None) -> None:
    """Under every name that they go by."""
    assert not await provider(ed_signer()).refuses(ed_signer().token(typ=typ))


async def test_nothing_is_logged_of_a_good_token(caplog: pytest.LogCaptureFixture) -> None:
    """Calls have their own lines."""
    await provider(ed_signer()).tokens.caller(ed_signer().token())
    assert events(caplog) == ["oidc_keys_read"]


def test_a_jwt_is_told_from_other_tokens() -> None:
    """By its three parts."""
    assert looks_like_jwt(ed_signer().token(CLAIMS))
    others = [
        "",
        "a",
        "a.b",
        "a.b.",
        ".b.c",
        "a..c",
        "a.b.c.d",
        "a.b.c\n",
        "a.b.ç",
        "a.b.c=",
        "a. b.c",
        "pg_1234",
    ]
    assert not any(map(looks_like_jwt, others))
