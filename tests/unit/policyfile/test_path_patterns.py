"""Patterns of paths: as in a .gitignore file, where they can be read in one way only."""

import re

import pytest

from plangate_server.policyfile.path_patterns import path_pattern, paths_anywhere, paths_exactly
from tests.helpers.thread_times import has_ratio

LONG_NAME = 4000
MOST_SEARCHES = 20


@pytest.mark.parametrize(
    ("pattern", "meant", "not_meant"),
    [
        ("docs/**", ["docs/a", "docs/a/b.md"], ["docs", "src/docs/a", "docsx/a", "Docs/a"]),
        ("docs/*", ["docs/a", "docs/a/b"], ["docs", "x/docs/a"]),
        ("/README.md", ["README.md"], ["docs/README.md", "readme.md"]),
        ("README.md", ["README.md", "docs/README.md"], ["README.md.sh", "xREADME.md"]),
        ("*.md", ["a.md", "docs/a.md"], ["a.mdx", "a.md.sh"]),
        ("src/**/test_*.py", ["src/test_a.py", "src/a/b/test_a.py"], ["test_a.py", "src/a.py"]),
        ("notes/", ["notes/a", "x/notes/a"], ["notes"]),
        ("v[12].txt", ["v1.txt", "v2.txt"], ["v3.txt", "v12.txt"]),
        ("a?c", ["abc"], ["ac", "a/c", "abbc"]),
    ],
)
def test_what_allows_means_what_git_would(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    """Case counts, and a pattern with a slash in it is seen from the root."""
    matches = paths_exactly((path_pattern(pattern),))
    assert [path for path in (*meant, *not_meant) if matches(path)] == meant


@pytest.mark.parametrize(
    ("pattern", "meant", "not_meant"),
    [
        (
            "secrets/**",
            ["secrets", "secrets/a", "me/secrets", "me/secrets/a/b"],
            ["secretsx", "mysecrets"],
        ),
        ("/secrets/", ["secrets", "secrets/a", "home/secrets/a"], ["secret"]),
        (".env", [".env", "a/b/.env", ".env/x"], [".envrc", "x.env"]),
        ("Keys/*.PEM", ["keys/a.pem", "home/keys/a.pem"], ["keys/a.pem.txt"]),
        ("config/prod.yaml", ["config/prod.yaml", "repo/config/prod.yaml"], ["config/prod.yml"]),
        ("docs/*", ["docs", "docs/a"], ["doc/a"]),
        ("**", ["a", "a/b"], []),
        ("*/", ["a", "a/b"], []),
    ],
)
def test_what_denies_means_every_folder(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    """In any folder, in any case, and the folder itself along with what is in it."""
    matches = paths_anywhere((path_pattern(pattern),))
    assert [path for path in (*meant, *not_meant) if matches(path)] == meant


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("!docs/**", "begins with !"),
        ("#a", "begins with #"),
        ("~/.ssh/**", "begins with ~"),
        ("a\\b", "has a backslash"),
        ("../a", "has .. in it"),
        ("a/../b", "has .. in it"),
        ("./a", "has . as a folder"),
        ("a//b", "has // in it"),
        ("/", "names nothing"),
        ("a**", "has ** in a name"),
        ("**a", "has ** in a name"),
        ("***", "has ** in a name"),
        ("[!a]", "has a class of what is not meant"),
        ("[^a]", "has a class of what is not meant"),
        ("[a", "look at its [ and ]"),
        ("a]", "look at its [ and ]"),
        ("[z-a]", "look at its [ and ]"),
        ("a*b*c*d", "has too many *"),
        ("*/*/*/*/*", "has too many *"),
        (" a", "remove the blanks"),
        ("a\u202eb", "what cannot be seen"),
    ],
)
def test_what_reads_in_two_ways_is_refused(pattern: str, why: str) -> None:
    """Nothing that git would take for an exception, a comment, an escape or nothing at all."""
    with pytest.raises(ValueError, match=r"^is '") as refused:
        path_pattern(pattern)
    assert why in str(refused.value)


@pytest.mark.parametrize("pattern", ["**/a*/**/*ab", "**/*a*b", "a*a*b/a*a*b", "a/**/a/**/a/**/b"])
def test_no_path_takes_long(pattern: str) -> None:
    """Whatever an agent thinks up costs no more than some searches for two letters in one long name.

    The time cannot grow as the length alone, for each * is one more place to try, which is why there are few:
    so it is compared with that of another search. Shorter paths come first, so that a pattern that runs wild
    is noticed before it would take for ever.
    """
    matches = paths_anywhere((path_pattern(pattern),))
    search, name = re.compile("a[^/]*a[^/]*b"), "a" * LONG_NAME
    for folders in (8, 16, 32, 64):
        hostile = [
            "/".join(["a" * 63] * folders),
            "/".join(["a" * 255] * (folders // 4)),
            "/".join(["a"] * folders),
        ]

        def look(paths: list[str] = hostile) -> None:
            assert not any(map(matches, paths))

        assert has_ratio(look, lambda: search.fullmatch(name), most=MOST_SEARCHES), folders
