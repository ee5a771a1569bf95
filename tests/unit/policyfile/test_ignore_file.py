"""A file like .gitignore in a deny rule: what git ignores is denied, and nothing in it allows anything."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plangate_server.domain.tools import Access, Call
from plangate_server.policyfile import PolicyBook, PolicyProblems, load_policy, unread_files
from plangate_server.policyfile.ignore_file import MOST_PATTERNS, BadIgnoreFile, read_ignore_file
from tests.helpers.thread_times import has_ratio

RULE = "deny:\n  - name: theirs\n    paths_from: .agentignore\n"


def denied(tmp_path: Path, text: str, *paths: str) -> list[str]:
    """Those of the paths that the file denies."""
    file = tmp_path / ".agentignore"
    file.write_text(text, encoding="utf-8")
    ignored = read_ignore_file(file)
    return [path for path in paths if ignored([path])]


@pytest.mark.parametrize(
    ("text", "meant", "not_meant"),
    [
        ("", [], ["a"]),
        ("# secrets\n\n   \n/\n", [], ["a", "# secrets"]),
        ("*.pem\n", ["a.pem", "x/a.pem", "a.pem/b"], ["a.pem.txt", "pem"]),
        ("secrets/\n", ["secrets", "secrets/a", "x/secrets/a"], ["mysecrets", "secretsx"]),
        ("secrets/*\n", ["secrets", "secrets/a", "x/secrets/a"], ["secret"]),
        ("q/**\n", ["q", "q/a/b"], ["qq"]),
        ("/build\n", ["build", "x/build/y"], ["builds"]),
        ("a/**/b\n", ["a/b", "a/c/d/b", "x/a/b/c"], ["a/c", "ab"]),
        ("**/foo/bar\n", ["foo/bar", "x/foo/bar/y"], ["foo/x/bar"]),
        ("a**b/c\n", ["axxb/c", "ab/c"], ["a/b/c"]),
        ("v[12].t?t\n", ["v1.txt"], ["v3.txt", "v1.t/t"]),
        ("v[!a-c]\n", ["vd"], ["va", "v/"]),
        ("\\#a\n\\!b\n\\*\n", ["#a", "!b", "*"], ["a", "b", "x"]),
        ("blank  \nkept\\ \n", ["blank", "kept "], ["kept"]),
        ("README.md\r\n", ["readme.md"], []),
        ("\ufeffbom\n", ["bom"], []),
    ],
)
def test_what_is_denied(tmp_path: Path, text: str, meant: list[str], not_meant: list[str]) -> None:
    """In every folder, whatever the case, and a folder along with what is in it."""
    assert denied(tmp_path, text, *meant, *not_meant) == meant


@pytest.mark.parametrize(
    ("text", "meant", "not_meant"),
    [
        ("*.pem\n!test.pem\n", ["a.pem"], ["test.pem", "x/test.pem"]),
        ("*.pem\n!/test.pem\n", ["x/test.pem", "home/me/test.pem"], ["test.pem"]),
        ("!test.pem\n*.pem\n", ["test.pem"], []),
        ("secrets/\n!secrets/readme\n", ["secrets/readme"], []),
        ("secrets/*\n!secrets/readme\n", ["secrets/a", "secrets", "x/secrets/readme"], ["secrets/readme"]),
        ("*\n!*/\n!*.md\n", ["a.py", "docs", "docs/a.py"], ["a.md", "docs/a.md"]),
    ],
)
def test_an_exception_is_read_narrowly(
    tmp_path: Path, text: str, meant: list[str], not_meant: list[str]
) -> None:
    """From the root, only after what it takes out, and not in a folder that is denied."""
    assert denied(tmp_path, text, *meant, *not_meant) == meant


NAMES = st.sampled_from(["a", "b", "ab", "a.b", "ba"])
PARTS = st.sampled_from(["a", "b", "*", "**", "?", "a*", "*b", "*.b", "[ab]", "[!a]", "a?b", "\\a", "b*a*"])
"""Without `**` beside a letter, which some releases of git match differently from one run to the next."""
PATTERNS = st.builds(
    lambda beginning, parts, end: beginning + "/".join(parts) + end,
    st.sampled_from(["", "/"]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "/", " "]),
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
FILES = st.lists(st.tuples(st.booleans(), PATTERNS), min_size=1, max_size=5)
PROBE = "zzz"
"""What is in no pattern: whether it is ignored says whether its folder is."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], check=True, env=git_environment(folder))
    return folder


def git_environment(folder: Path) -> dict[str, str]:
    """Without anybody's own settings."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}


def ignored_by_git(folder: Path, text: str, paths: set[str]) -> set[str]:
    (folder / ".gitignore").write_text(text)
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=folder,
        env=git_environment(folder),
        input="\0".join(sorted(paths)).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return set(filter(None, done.stdout.decode().split("\0")))


def tails(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[start:]) for start in range(len(parts))}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(file=FILES, paths=st.sets(PATHS, min_size=1, max_size=8))
def test_as_git_reads_it(repository: Path, file: list[tuple[bool, str]], paths: set[str]) -> None:
    """All that git ignores is denied; without exceptions, nothing that it would not ignore in some folder."""
    text = "".join(f"{'!' if exception else ''}{pattern}\n" for exception, pattern in file)
    source = repository / "file"
    source.write_text(text)
    ours = read_ignore_file(source)
    by_git = ignored_by_git(repository, text, paths)
    assert {path for path in paths if ours([path])} >= by_git
    if not any(exception for exception, _ in file):
        asked = {form for path in paths for tail in tails(path) for form in (tail, f"{tail}/{PROBE}")}
        found = ignored_by_git(repository, text, asked)
        for path in paths:
            somewhere = {form for tail in tails(path) for form in (tail, f"{tail}/{PROBE}")}
            assert not ours([path]) or somewhere & found, (text, path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[a\n", "whose line 1 has a [ that cannot be read"),
        (b"a\n[z-a]\n", "whose line 2 has a class whose range ends before it begins"),
        (b"[[:alpha:]]\n", "whose line 1 has a [ that cannot be read"),
        (b"a\\", "whose line 1 ends with a backslash"),
        (b"x" * 101, "whose line 1 has 101 characters: at most 100"),
        (b"a\n" * (MOST_PATTERNS + 1), "which has 201 patterns: at most 200 are taken"),
        (b"#" * (64 * 1024 + 1), "which has more than 64 KiB"),
        (b"\xff", "which is not text in UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    """With the file and the line; what stands there is not told."""
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(BadIgnoreFile) as refused:
        read_ignore_file(file)
    assert str(refused.value).startswith(f"names {file}, {why}")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """Nothing is waited for, and nothing that is missing counts as empty."""
    os.mkfifo(tmp_path / "pipe")
    expected = {"pipe": "is not a file", ".": "cannot be read: Is a", "none": "cannot be read: No such"}
    for name, why in expected.items():
        with pytest.raises(BadIgnoreFile) as refused:
            read_ignore_file(tmp_path / name)
        assert why in str(refused.value)


SEARCH, LONG_NAME, MOST_SEARCHES = re.compile("a[^/]*a[^/]*b"), "a" * 4000, 20
HOSTILE = [
    "a*" * 40 + "b",
    "/".join(["a*a*b"] * 12),
    "**/a*/**/*ab/**/a",
    "a" * 49 + "*" + "a" * 49 + "b",
    "b*",
]


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("exception", [False, True])
def test_no_file_makes_anybody_wait(tmp_path: Path, pattern: str, exception: bool) -> None:
    """Whatever it says, and whatever the call names: what would take too long is denied instead.

    The time is compared with that of some searches for two letters in one long name.
    """
    file = tmp_path / "file"
    lines = ["a*", *[f"!{pattern}"] * 199] if exception else [pattern] * 200
    file.write_text("\n".join(lines))
    ignored = read_ignore_file(file)
    for paths in (
        ["/".join(["a" * 255] * 16)],
        ["a" * 255 + str(number) for number in range(2000)],
        ["/".join(["a"] * 64) + str(number) for number in range(1000)],
    ):

        def look(paths: list[str] = paths) -> None:
            ignored(paths)

        assert has_ratio(look, lambda: SEARCH.fullmatch(LONG_NAME), most=MOST_SEARCHES)
    assert ignored([f"a{number}" for number in range(100_000)])


def call(*paths: str) -> Call:
    return Call("write_file", access=Access.WRITE, paths=paths)


def names(policy_path: Path, *paths: str) -> list[str]:
    policy = load_policy(policy_path)
    return [path for path in paths if policy.denying(call(path))]


def test_a_deny_rule_takes_patterns_from_a_file(tmp_path: Path) -> None:
    """It stands beside the policy, and adds to the rule's own paths: no exception takes from those."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(RULE + "    paths: ['.env']\n", encoding="utf-8")
    (tmp_path / ".agentignore").write_text("*.pem\n!.env\n!*\n*.key\n", encoding="utf-8")
    assert names(policy, ".env", "a.key", "a.pem", "b.txt") == [".env", "a.key"]


def test_the_other_conditions_of_the_rule_hold(tmp_path: Path) -> None:
    """A file says which paths are meant, and nothing about who or what."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(RULE + "    tools: [bash]\n", encoding="utf-8")
    (tmp_path / ".agentignore").write_text("*\n", encoding="utf-8")
    assert names(policy, "a") == []


def test_an_allow_rule_takes_none(tmp_path: Path) -> None:
    """Who can write the file could allow itself anything."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("allow:\n  - {name: x, tools: [a], paths_from: f}\n", encoding="utf-8")
    with pytest.raises(PolicyProblems) as refused:
        load_policy(policy)
    words = "is for deny rules only: who can write the file could allow anything; write paths"
    assert refused.value.problems == [f"{policy}:2: allow[0].paths_from {words}"]


@pytest.mark.parametrize("content", [None, b"[", b"#" * (64 * 1024 + 1), b"\xff"])
def test_a_file_that_cannot_be_read_denies_every_path(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    """And nothing else: the rest of the policy holds, whoever wrote the file."""
    policy, file = tmp_path / "policy.yaml", tmp_path / ".agentignore"
    policy.write_text(f"{RULE}  - name: ours\n    tools: [fetch]\n", encoding="utf-8")
    if content is not None:
        file.write_bytes(content)
    current = PolicyBook(policy).current
    (problem,) = unread_files(current)
    assert problem.startswith(f"deny:theirs names {file}, wh")
    assert f"{policy}: {problem}" in caplog.text
    assert [rule.name for rule in (current.denying(call("a")),) if rule] == ["theirs"]
    assert current.denying(call()) is None
    ours = current.denying(Call("fetch", access=Access.EXECUTE))
    assert ours is not None
    assert ours.name == "ours"


def test_the_file_is_read_again_with_the_policy(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What cannot be read then is logged, and every path is denied."""
    policy, file = tmp_path / "policy.yaml", tmp_path / ".agentignore"
    policy.write_text(RULE, encoding="utf-8")
    file.write_text("old\n", encoding="utf-8")
    policies = PolicyBook(policy)
    file.write_text("new\n", encoding="utf-8")
    assert policies.current.denying(call("old"))
    policies.reload()
    assert not policies.current.denying(call("old"))
    file.unlink()
    policies.reload()
    assert policies.current.denying(call("new"))
    assert f"names {file}, which cannot be read" in caplog.text
