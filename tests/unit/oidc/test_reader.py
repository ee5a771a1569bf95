"""The operator's file is taken as it says, or refused with everything that is wrong with it."""

from pathlib import Path

import pytest

from plangate_server.domain.identity import Role
from plangate_server.oidc import load_oidc
from plangate_server.oidc.rules import ALGORITHMS, OidcRules, RoleRule
from plangate_server.plainyaml import FileProblems

FULL = """\
issuer: https://login.example.com
audience: plangate
jwks: keys.json
name: preferred_username
person: email
workspace: {claim: tenant.id}
roles:
  - {claim: realm_access.roles, has: plangate-admins, role: admin}
  - {claim: "https://example.com/claims/groups", has: "cn=reviewers,dc=example", role: reviewer}
algorithms: [RS256, ES256]
"""
LEAST = """\
issuer: https://login.example.com
audience: plangate
jwks: https://login.example.com/keys
roles:
  - {claim: azp, has: build-agent, role: agent}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "oidc.yaml"


def problems(path: Path, text: str) -> list[str]:
    """What is said about a file, without its name."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblems) as found:
        load_oidc(path)
    return [problem.removeprefix(f"{path}:") for problem in found.value.problems]


def test_every_key_is_read(path: Path) -> None:
    """Dots lead into a claim, except in one that is named by a URL; a file is beside this one."""
    path.write_text(FULL, encoding="utf-8")
    assert load_oidc(path) == OidcRules(
        issuer="https://login.example.com",
        audience="plangate",
        jwks=path.with_name("keys.json"),
        roles=(
            RoleRule(("realm_access", "roles"), "plangate-admins", Role.ADMIN),
            RoleRule(("https://example.com/claims/groups",), "cn=reviewers,dc=example", Role.REVIEWER),
        ),
        name=("preferred_username",),
        person=("email",),
        workspace=("tenant", "id"),
        algorithms=("RS256", "ES256"),
    )


def test_what_is_left_out_has_a_default(path: Path) -> None:
    """The subject for name and person, the default workspace, every algorithm with a key pair."""
    path.write_text(LEAST, encoding="utf-8")
    rules = load_oidc(path)
    assert rules.jwks == "https://login.example.com/keys"
    assert (rules.name, rules.person, rules.workspace) == (("sub",), ("sub",), "default")
    assert rules.algorithms == ALGORITHMS
    assert not any(name == "none" or name.startswith("HS") for name in ALGORITHMS)


@pytest.mark.parametrize(
    "jwks", ["/etc/keys.json", "http://127.0.0.1:8080/k", "http://localhost/k", "http://[::1]/k"]
)
def test_other_places_of_keys(path: Path, jwks: str) -> None:
    """A file anywhere, and a host that is this machine."""
    path.write_text(LEAST.replace("https://login.example.com/keys", jwks), encoding="utf-8")
    assert str(load_oidc(path).jwks) == jwks


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("jwks: http://login.example.com/keys", "1: jwks is 'http://login.example.com/keys', which can be"),
        ("jwks: http://127.0.0.1.example.com/", "1: jwks is 'http://127.0.0.1.example.com/', which can be"),
        ("jwks: http://10.0.0.1/keys", "1: jwks is 'http://10.0.0.1/keys', which can be altered on its way"),
        ("jwks: ftp://example.com/keys", "1: jwks is 'ftp://example.com/keys', which is neither a file"),
        ("jwks: file:///keys", "1: jwks is 'file:///keys', which is neither a file nor https://"),
        ("jwks: https:///keys", "1: jwks is 'https:///keys', which names no host"),
        ("jwks: https://me:pw@example.com/", "1: jwks has a user in it: keys are public, leave it out"),
        ("jwks: 'https://example.com/#x'", "1: jwks is 'https://example.com/#x', which has a # in it"),
        ("jwks: 'https://example.com/a b'", "1: jwks is 'https://example.com/a b', which has characters"),
        ("jwks: https://example.com:99999/", "1: jwks is 'https://example.com:99999/', which is no URL"),
        ("jwks: 'https://[/'", "1: jwks is 'https://[/', which is no URL"),
        ("jwks: [a, b]", "1: jwks is a list: write a text"),
        ("jwks:", "1: jwks is empty"),
        ("issuer: ''", "1: issuer is empty"),
        ("issuer: ' https://x'", "1: issuer is ' https://x': remove the blanks"),
        ("audience: [plangate]", "1: audience is a list: write a text"),
        ("name: a..b", "1: name is 'a..b': write one dot between two names"),
        ("person: .sub", "1: person is '.sub': write one dot"),
        ("person: {claim: sub}", "1: person is a table: write a text"),
        ("workspace: {}", "1: workspace is empty"),
        ("workspace: {claims: tenant}", "1: workspace has 'claims': did you mean claim?"),
        ("workspace: {claim: }", "1: workspace.claim is empty"),
        ("workspace: [a]", "1: workspace is a list: write a text"),
        ("roles: []", "1: roles is an empty list"),
        ("roles: {claim: a, has: b, role: admin}", "1: roles is a table: write a list"),
        ("roles: [{claim: a, has: b}]", "1: roles[0] has no role: write {claim: …, has: …, role: …}"),
        ("roles: [{has: b, role: admin}]", "1: roles[0] has no claim"),
        ("roles: [{claim: a, role: admin}]", "1: roles[0] has no has"),
        ("roles: [{claim: a, has: b, role: root}]", "1: roles[0].role is 'root': known are agent, reviewer"),
        ("roles: [{claim: a, has: b, role: Admin}]", "1: roles[0].role is 'Admin': did you mean admin?"),
        ("roles: [{claim: a, has: '', role: admin}]", "1: roles[0].has is empty"),
        ("roles: [{claim: a, has: [b], role: admin}]", "1: roles[0].has is a list: write a text"),
        (
            "roles: [{claim: a, has: b, role: admin}, {claim: a, has: b, role: agent}]",
            "1: roles[1] asks for what roles[0] asks for, which decides: keep one",
        ),
        ("algorithms: [none]", "1: algorithms[0] is 'none': anybody can make a token without a signature"),
        ("algorithms: [NONE]", "1: algorithms[0] is 'NONE': anybody can make a token"),
        ("algorithms: [RS256, HS256]", "1: algorithms[1] is 'HS256': whoever can check such a token"),
        ("algorithms: [hs512]", "1: algorithms[0] is 'hs512': whoever can check such a token can make one"),
        ("algorithms: [RS257]", "1: algorithms[0] is 'RS257': did you mean RS256?"),
        ("algorithms: []", "1: algorithms is an empty list"),
        ("algorithms: RS256", "1: algorithms is the text 'RS256': write a list"),
        ("jwks_uri: x", "1: the file has 'jwks_uri': did you mean jwks?"),
    ],
)
def test_what_is_not_understood_is_refused(path: Path, line: str, problem: str) -> None:
    """With its line, its place and what to do."""
    name = line.partition(":")[0]
    rest = LEAST.partition("roles:")[0] if name == "roles" else LEAST
    others = [each for each in rest.splitlines() if not each.startswith(f"{name}:")]
    said = problems(path, "\n".join([line, *others]))
    assert any(each.startswith(problem) for each in said), said


@pytest.mark.parametrize("text", ["", "# soon", "[]", "{}", "issuer"])
def test_a_file_without_a_provider(path: Path, text: str) -> None:
    """Nothing is made up for it."""
    assert problems(path, text)[0].startswith("1: the file names no provider: write a table of issuer")


@pytest.mark.parametrize("needed", ["issuer", "audience", "jwks", "roles"])
def test_what_must_be_there(path: Path, needed: str) -> None:
    """Whatever would be taken instead would let strangers in, or nobody."""
    text = LEAST.replace(f"{needed}:", "name: sub #" if needed != "roles" else "algorithms: [RS256]\nx:")
    assert any(each.startswith(f"1: the file has no {needed}: ") for each in problems(path, text))


def test_all_problems_are_told_at_once(path: Path) -> None:
    """Each with its line."""
    said = problems(
        path, FULL.replace("RS256", "HS256").replace("admin}", "root}").replace("audience", "aud")
    )
    assert [each.partition(":")[0] for each in said] == ["1", "2", "8", "10"]
