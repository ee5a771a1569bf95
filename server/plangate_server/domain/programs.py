"""Programs by their names: which of them run what they are given."""

from __future__ import annotations

from typing import Final

SHELLS: Final = (
    "sh bash rbash dash ash ksh mksh yash zsh fish nu xonsh csh tcsh busybox toybox cmd call "
    "powershell pwsh iex wsl"
)
STARTERS: Final = (
    ". env sudo doas pkexec su runuser xargs parallel eval exec command builtin source coproc trap "
    "noglob nohup setsid time timeout nice ionice stdbuf unshare nsenter chroot flock ssh watch find "
    "script expect start start-process forfiles strace gdb systemd-run tmux screen npx bunx uvx pipx "
    "tsx ts-node"
)
INTERPRETERS: Final = (
    "python pythonw py ipython pypy perl ruby node nodejs deno bun php lua luajit rscript julia java "
    "awk gawk mawk nawk sed gsed vim nvim vi ex emacs tclsh osascript sqlite psql mysql"
)
RUNNERS: Final = frozenset(f"{SHELLS} {STARTERS} {INTERPRETERS}".split())
"""What follows one of them can be any command, or any program."""

LAUNCHING: Final = frozenset({"exec", "run", "x", "dlx", "foreach"})
"""Subcommands with which other programs, too, run what they are given."""
LAUNCHING_OPTIONS: Final = frozenset({"-c", "-e", "-x", "--eval", "--exec", "--command"})

MANAGERS: Final = frozenset(
    {
        *("npm", "pnpm", "yarn", "uv", "poetry", "pipenv", "pdm", "hatch", "cargo", "go", "dotnet", "gradle"),
        *("docker", "podman", "kubectl", "git", "mvn"),
    }
)
"""Programs that have such subcommands."""

RUN_BY_NAME: Final = frozenset({"npm", "pnpm", "yarn", "make"})
"""Programs whose ``run`` takes the name of something that is written down already."""

ENDINGS: Final = (".exe", ".cmd", ".bat", ".ps1")


def program_of(word: str) -> str:
    """The bare name of a program: without folder, version and ending, and without what shells put before."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold().lstrip("!:@=&+")
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name.rstrip("0123456789.-") or name


def may_launch(words: tuple[str, ...], *, follows: bool) -> bool:
    """Whether what comes after the words can be any command; ``follows`` says that more than a word comes."""
    program = program_of(words[0])
    if program in RUNNERS or (program in MANAGERS and len(words) == 1 and follows):
        return True
    launching = {*words[1:3]} & LAUNCHING | {*words[1:]} & LAUNCHING_OPTIONS
    return bool(launching - {"run"} if program in RUN_BY_NAME else launching)
