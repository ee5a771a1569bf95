"""Programs whose arguments may be left open in a pattern, as a table.

What is not in the table is unknown, and nothing of an unknown program is left open: it may run what it is
given. An entry is a program and its verbs; none of the arguments that follow is the name of a program.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

from plangate_server.domain.commands import is_assignment
from plangate_server.domain.programs import LAUNCHING, LAUNCHING_OPTIONS, RUNNERS, program_of

Opened: TypeAlias = Collection[tuple[str, ...]]
"""Programs, with verbs or without, that the operator vouches for."""

ANY_WORD: Final = "*"
ANY_REST: Final = "**"


class Family(Struct, frozen=True):
    """What may stand open after a program and its verbs."""

    rest: bool = True
    """Whether ``**`` may stand there: further words, and options that name no program."""
    colons: bool = False
    """Whether a colon inside a word means nothing but itself, as in ``build:prod``."""
    names: bool = False
    """Whether words are names of things: nothing that begins like a path."""
    never: tuple[str, ...] = ()
    """Options that name a program, a file of settings, or where output goes."""
    fine: tuple[str, ...] = ()
    """Options that only sound like one of those."""


class Global(Struct, frozen=True):
    """Options that may stand between a program and its verb."""

    flags: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()


def _entries(family: Family, *lines: str) -> Iterator[tuple[tuple[str, ...], Family]]:
    """``git log|show`` is two entries; a line of single words is one program each."""
    for line in lines:
        program, *verbs = line.split()
        if not verbs:
            yield (program,), family
        for verb in verbs:
            yield (program, *verb.split("+")), family


def _each(family: Family, programs: str) -> Iterator[tuple[tuple[str, ...], Family]]:
    yield from (((program,), family) for program in programs.split())


PLAIN: Final = Family()
WORDS: Final = Family(rest=False)
TASKS: Final = Family(
    rest=False,
    colons=True,
    never=("-f", "-C", "-I", "-b", "-c", "-p", "-r", "--init-script", "--include-build"),
)
REFS: Final = Family(rest=False, names=True, never=("-s", "--strategy", "-F", "--file", "-t"))
"""Names of remotes and branches: a colon, a plus or a path would say where to, from, or over what."""

_SCRIPT_SHELL: Final = (
    *("--script-shell", "--node-options", "--prefix", "-C", "--dir", "--userconfig", "--globalconfig"),
    *("--shell-emulator", "--scripts-prepend-node-path", "--node-version", "--use-node-version", "--eval"),
)
_GO: Final = (
    *("-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-C", "-o", "-ldflags", "-gcflags"),
    *("-asmflags", "-gccgoflags", "-compiler", "-pkgdir", "-outputdir", "-cc", "-fmt"),
)
_GIT_OUT: Final = ("--output", "--ext-diff", "--textconv")

OPEN: Final[Mapping[tuple[str, ...], Family]] = dict(
    [
        # Programs that look, compare and count.
        *_each(
            Family(fine=("-c", "-e", "-x", "--exclude", "--exclude-dir", "--exclude-from")),
            "ls cat head tail wc grep egrep fgrep stat du df pwd file cut tr nl md5sum sha1sum sha256sum "
            "sha512sum cksum basename dirname realpath readlink diff cmp comm paste join fold column fmt "
            "echo printf whoami id uname date cal uptime free ps which whereis type tac rev expand unexpand "
            "lsof hexdump od strings exa eza lsblk lscpu groups users nproc arch getconf locale seq sleep",
        ),
        *_each(Family(never=("-o", "--output", "-T")), "tree"),
        *_each(Family(never=("-o", "--output", "--compress-program", "--files0-from", "-T")), "sort"),
        *_each(Family(rest=False), "uniq xxd base64 jq yq bat cp mv rm rmdir"),
        *_each(Family(), "mkdir touch"),
        *_each(Family(never=("--pre", "--pre-glob", "--hostname-bin", "-z"), fine=("-c", "-e", "-x")), "rg"),
        *_each(Family(never=("-x", "-X", "--exec", "--exec-batch"), fine=("-c", "-e")), "fd fdfind"),
        *_each(
            Family(names=True, rest=False, never=("-P", "-H", "--pager", "--html")),
            "ping dig host nslookup man whatis apropos pgrep",
        ),
        # Git, as far as no argument of it names a program or another place.
        *_entries(
            Family(never=("-O", *_GIT_OUT), colons=True, fine=("-x", "-c")),
            "git log diff show blame shortlog whatchanged diff-tree diff-index diff-files range-diff",
        ),
        *_entries(
            Family(colons=True),
            "git status rev-parse rev-list ls-files ls-tree describe reflog merge-base name-rev show-ref "
            "for-each-ref check-ignore count-objects cherry stash+list stash+show",
        ),
        *_entries(Family(never=("-O", "--open-files-in-pager"), fine=("-c", "-e", "-x")), "git grep"),
        *_entries(Family(never=("-p", "-i", "-e"), rest=False), "git add rm mv restore"),
        *_entries(
            # Its words are a message, in which a colon is one.
            Family(
                rest=False,
                colons=True,
                never=("-c", "-e", "-C", "-F", "-t", "--template", "--file", "--edit", "--reuse-message"),
            ),
            "git commit",
        ),
        *_entries(
            REFS,
            "git checkout switch branch tag merge cherry-pick revert rebase reset stash+push stash+pop "
            "stash+apply stash+drop remote+show remote+get-url config+--get worktree+list",
        ),
        *_entries(
            Family(names=True, never=("--receive-pack", "--exec", "--repo", "--upload-pack", "-o")),
            "git push fetch pull",
        ),
        # Tests, linters and what is written down in the project's own files.
        *_entries(
            Family(colons=True, never=_SCRIPT_SHELL),
            "npm test t run run-script",
            "pnpm test t run",
            "yarn test",
        ),
        *_entries(
            Family(never=_SCRIPT_SHELL),
            "npm ls list outdated audit view info why explain search ping",
            "pnpm ls list outdated audit why",
            "yarn list outdated audit why info",
            "bun test",
        ),
        *_each(
            Family(
                colons=True,
                never=(
                    *("-p", "-c", "-o", "--config-file", "--override-ini", "--confcutdir", "--rootdir"),
                    *("--pdbcls", "--import-mode", "--basetemp", "--log-file"),
                ),
                fine=("-x", "--exitfirst"),
            ),
            "pytest py.test",
        ),
        *_each(
            Family(
                never=(
                    *("-f", "-C", "-I", "-E", "-W", "-o", "--file", "--makefile", "--eval", "--directory"),
                    *("--include-dir", "--old-file", "--what-if", "--assume-old", "--new-file"),
                ),
                colons=True,
            ),
            "make gmake",
        ),
        *_each(TASKS, "rake task gradle ./gradlew ninja"),
        *_each(
            Family(
                never=(
                    *(
                        "-c",
                        "-r",
                        "-f",
                        "-o",
                        "--config",
                        "--require",
                        "--reporter",
                        "--reporters",
                        "--runner",
                    ),
                    *("--env", "--environment", "--transform", "--resolver", "--preset", "--globalSetup"),
                    *(
                        "--setupFiles",
                        "--plugin",
                        "--format",
                        "--formatter",
                        "--parser",
                        "--rulesdir",
                        "--root",
                    ),
                    *("--resolve-plugins-relative-to", "--testRunner", "--watcher", "--file", "--import"),
                    *("--loader", "--pool", "--browser", "--custom-syntax", "--processors", "--outDir"),
                    *("--projects", "--rootDir", "--roots", "--ui", "-u", "--testEnvironment"),
                    *("--snapshotSerializers", "--custom-formatter"),
                ),
            ),
            "jest vitest mocha ava eslint prettier stylelint tsc biome standard markdownlint",
        ),
        *_each(
            Family(never=("--rcfile", "--init-hook", "--load-plugins", "--config", "--config-file", "-o")),
            "ruff black isort flake8 pylint bandit pydocstyle pycodestyle vulture shellcheck hadolint "
            "yamllint golangci-lint staticcheck gofmt clang-format",
        ),
        *_each(
            Family(rest=False, never=("--config-file", "-c", "-p", "--python-executable")), "mypy pyright ty"
        ),
        *_each(WORDS, "rspec phpunit rubocop"),
        *_entries(WORDS, "mvn test verify compile package clean validate"),
        *_entries(WORDS, "./mvnw test verify compile package clean validate"),
        *_entries(WORDS, "coverage report html xml json combine"),
        *_entries(
            Family(
                never=("--config", "-Z", "-C", "--manifest-path", "--target-dir", "--out-dir"), colons=True
            ),
            "cargo test build check clippy fmt doc tree metadata bench search audit",
        ),
        *_entries(
            Family(never=_GO, fine=("-run",)),
            "go test build vet list version env doc fmt mod+graph mod+why mod+tidy mod+verify",
        ),
        *_entries(WORDS, "dotnet test build list format", "swift test build", "mix test format compile"),
        *_entries(WORDS, "composer validate show outdated", "bundle list outdated check", "gem list search"),
        *_entries(
            Family(never=("--python", "--config", "-o")),
            "pip list show freeze check",
            "pip3 list show freeze check",
            "poetry show check",
            "conda list",
        ),
        # Looking at machines and clusters.
        *_entries(
            Family(never=("--kubeconfig", "--server", "-s", "--template", "--raw"), colons=True),
            "kubectl get describe logs top explain version api-resources api-versions cluster-info "
            "rollout+status rollout+history auth+can-i",
        ),
        *_entries(
            Family(never=("-H", "--host", "--config", "-f", "--file"), colons=True, fine=("-f",)),
            "docker ps images logs inspect stats top version info port diff history events container+ls "
            "image+ls volume+ls network+ls compose+ps compose+logs compose+ls compose+images compose+top "
            "compose+config",
            "podman ps images logs inspect stats top version info port diff history events",
        ),
        *_entries(Family(rest=False), "helm list status history get search version"),
        *_entries(
            Family(rest=False, never=("-chdir", "-plugin-dir", "-out")),
            "terraform plan validate fmt show output state+list providers version graph",
        ),
        *_entries(
            Family(rest=False),
            "gh pr+list pr+view pr+diff pr+checks pr+status issue+list issue+view issue+status repo+view "
            "run+list run+view release+list release+view",
            "systemctl status is-active is-enabled list-units list-unit-files cat",
            "brew list info search outdated deps",
            "apt list show search policy",
            "apt-cache search show policy",
            "dpkg -l -L -s",
            "rpm -q -qa -qi -ql",
        ),
        *_each(Family(names=True, rest=False), "journalctl netstat ss ifconfig"),
    ]
)

GLOBALS: Final[Mapping[str, Global]] = {
    "git": Global(("--no-pager", "-P", "--no-optional-locks"), ("-C",)),
    "npm": Global(("-s", "--silent", "-w"), ("-w", "--workspace")),
    "pnpm": Global(("-r", "--recursive", "-s", "--silent", "-w"), ("--filter", "-F")),
    "kubectl": Global((), ("-n", "--namespace", "--context", "--cluster")),
    "docker": Global((), ("-c", "--context")),
    "helm": Global((), ("-n", "--namespace", "--kube-context")),
    "terraform": Global(),
}

BIN: Final = re.compile(r"/(?:usr/(?:local/)?)?bin/")
"""Where a path leads to the program that everybody means by the name."""

ODD: Final = tuple("-+:@=~!#%")
"""What changes the meaning of an argument that begins with it."""

SCHEME: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:/|(?:file|data|javascript|ext|git|ssh|https?|ftp|npm|link|github|fd|pkg):",
    re.IGNORECASE,
)

SUSPECT: Final = re.compile(
    r"exec|command|cmd|shell|pager|editor|program|plugin|hook|eval|preload|interpreter|wrapper|-pack|askpass|"
    r"config|require|import|compress|checkpoint|script|linker|launcher|rcfile|loader|driver|^ssh$|^rsh$|^env$|"
    r"settings|output|browser|extension|^pre$|^load|template|proxy"
)
"""Names of options that sound as if they named a program, or a file that does."""


def _leads_out(word: str) -> bool:
    """Whether it has two dots, which lead to another folder, or to a range; ``./...`` is a name."""
    return ".." in word.removesuffix("/...")


class Closed(ValueError):
    """Why a pattern may not be left open as it is."""


def check_open(words: Sequence[str], opened: Opened = ()) -> None:
    """Raise Closed if what a wildcard of the pattern stands for could be a program, or nobody knows."""
    why = _why_closed(tuple(words), frozenset(opened))
    if why:
        raise Closed(why)


def may_stand_open(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether words that wildcards of a pattern would stand for change the meaning of nothing."""
    family = _family_of(tuple(wanted)) or Family(colons=True)
    place = next((at for at, word in enumerate(wanted) if word in {ANY_WORD, ANY_REST}), len(wanted))
    for at in range(place, len(given)):
        word = wanted[at] if at < len(wanted) else ANY_REST
        if word == ANY_WORD and not _is_argument(given[at], family):
            return False
        if word == ANY_REST and not (_is_argument(given[at], family) or _is_option(given[at], family)):
            return False
    return True


def is_bare(words: tuple[str, ...]) -> bool:
    """Whether the words are a program that is known, with its verbs, and nothing else."""
    return _known(words)[1] == len(words)


def check_opened(entry: str) -> tuple[str, ...]:
    """An entry of the operator, as words; or Closed, if what it opens is known to run what it is given."""
    words = tuple(entry.split())
    if not words or any(word in {ANY_WORD, ANY_REST} for word in words) or _names_no_program(words[0]):
        raise Closed("names no program: write its name, and its verbs if only those are meant")
    if _launches(words):
        raise Closed(f"is {words[0]}, which runs what it is given: nobody can vouch for what that will be")
    return words


def _names_no_program(word: str) -> bool:
    return not word.isascii() or word.startswith("-") or is_assignment(word)


@lru_cache(maxsize=1024)
def _why_closed(words: tuple[str, ...], opened: frozenset[tuple[str, ...]]) -> str:
    wild = [at for at, word in enumerate(words) if word in {ANY_WORD, ANY_REST}]
    if not wild:
        return ""
    head = words[: wild[0]]
    shown = f"has a wildcard after {' '.join(head)}"
    family, length = _found(words, opened)
    if family is None:
        if _launches(head):
            return f"{shown}, which runs what it is given: name the whole command"
        return (
            f"{shown}, and nobody has said that {head[0]} runs nothing that it is given: name the whole "
            "command, or have the operator name the program in open_programs of the policy"
        )
    if ANY_REST in words and not family.rest:
        return f"{shown}, of which an option could name a program or a place: write * for each word"
    for at, word in enumerate(words):
        if length <= at and at < wild[-1] and _is_suspect(word, family):
            return f"{shown}, where {word} lets a program or a place be named: name the whole command"
    return ""


def _found(words: tuple[str, ...], opened: frozenset[tuple[str, ...]]) -> tuple[Family | None, int]:
    """What is known of the words before the first wildcard, and how many of them say it."""
    for length in range(len(words), 0, -1):
        if words[:length] in opened:
            return Family(colons=True), length
    return _known(words)


@lru_cache(maxsize=1024)
def _family_of(words: tuple[str, ...]) -> Family | None:
    return _known(words)[0]


def _known(words: tuple[str, ...]) -> tuple[Family | None, int]:
    program = _bare(words[0])
    plain, length = [program], 1
    between = GLOBALS.get(program, Global())
    while length < len(words) and words[length].startswith("-"):
        option = words[length]
        if (option.partition("=")[0] in between.valued and "=" in option) or option in between.flags:
            length += 1
        elif option in between.valued and length + 1 < len(words):
            if words[length + 1] in {ANY_WORD, ANY_REST}:
                return None, 0
            length += 2
        else:
            break
    for more in (2, 1, 0):
        verbs = words[length : length + more]
        family = OPEN.get((*plain, *verbs))
        if family is not None:
            return family, length + len(verbs)
    return None, 0


def _bare(word: str) -> str:
    """The name by which the table knows a program: any other way of writing it may be another program."""
    name = BIN.sub("", word, count=1) if BIN.match(word) else word
    for ending in (".exe", ".cmd"):
        name = name.removesuffix(ending)
    return name


def _launches(words: Sequence[str]) -> bool:
    """Whether the words are known to begin a command that runs what it is given."""
    return (
        program_of(words[0]) in RUNNERS
        or not LAUNCHING.isdisjoint(words[1:])
        or not LAUNCHING_OPTIONS.isdisjoint(words[1:])
    )


def _is_argument(word: str, family: Family) -> bool:
    """Whether a word is an argument like any other, whatever program it goes to."""
    return (
        not word.startswith(ODD)
        and not _leads_out(word)
        and "=" not in word
        and not SCHEME.match(word)
        and (family.colons or ":" not in word)
        and not (family.names and word.startswith((".", "/")))
    )


def _is_option(word: str, family: Family) -> bool:
    """Whether a word is an option that names neither a program nor another place."""
    if not word.startswith("-"):
        return False
    _, sign, value = word.partition("=")
    if _leads_out(word) or (sign and not _is_argument(value, family)):
        return False
    return not _is_suspect(word, family)


def _is_suspect(word: str, family: Family) -> bool:
    """Whether a word is an option that could name a program, also cut short or among other letters."""
    if is_assignment(word):
        return True
    if not word.startswith("-") or word in {"-", "--"}:
        return False
    name = word.partition("=")[0]
    if name in family.fine:
        return False
    if name in LAUNCHING_OPTIONS or SUSPECT.search(name.lstrip("-").casefold()):
        return True
    return any(_is_like(name, never) for never in family.never)


def _is_like(name: str, never: str) -> bool:
    bare = name.lstrip("-")
    if len(never) == 2:  # a letter, which may stand among others and before its value
        return not name.startswith("--") and never[1] in bare
    if not never.startswith("--"):  # such a long option is never cut short
        return bare == never[1:]
    return name.startswith("--") and never.startswith(name)
