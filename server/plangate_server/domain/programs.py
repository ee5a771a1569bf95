"""Programs by their names: which of them run what they are given."""

from __future__ import annotations

from typing import Final

SHELLS: Final = (
    "sh bash rbash dash ash ksh mksh yash zsh fish nu xonsh csh tcsh busybox toybox cmd call powershell "
    "pwsh iex wsl"
)
STARTERS: Final = (
    ". env sudo doas pkexec su runuser xargs parallel eval exec command builtin source coproc trap noglob "
    "nohup setsid time timeout nice ionice stdbuf unshare nsenter chroot flock ssh watch find script "
    "expect start start-process forfiles strace gdb systemd-run tmux screen npx bunx uvx pipx tsx ts-node "
    "valgrind gosu setpriv su-exec tini dumb-init ltrace perf rr taskset chrt numactl cpulimit prlimit "
    "cgexec firejail bwrap fakeroot proot faketime unbuffer rlwrap socat nc ncat entr nodemon pm at "
    "batch crontab dtach xvfb-run dbus-run-session systemd-inhibit machinectl adb sshpass mosh rsh pssh "
    "plink ansible salt sudoedit start-stop-daemon daemonize setarch linux hyperfine direnv "
    "dotenv chpst envdir softlimit proxychains torify torsocks wine mono catchsegv busctl gdbserver lldb "
    "dlv run please super sg newgrp trickle nsjail concurrently cscript wscript rundll regsvr mshta "
    "msiexec invoke-expression invoke-command start-job kexec doppler chamber cross-env env-cmd foreman "
    "honcho npm-run-all lerna nx turbo rush volta fnm nvm asdf mise rtx pyenv rbenv pkgx nix-shell guix "
    "steam-run flatpak snap toolbox distrobox lxc vagrant"
)
INTERPRETERS: Final = (
    "python pythonw py ipython pypy perl ruby node nodejs deno bun php lua luajit rscript julia java awk "
    "gawk mawk nawk sed gsed vim nvim vi ex emacs tclsh osascript sqlite psql mysql view vimdiff rvim "
    "gvim nano pico ed emacsclient kak hx micro less more most irb pry ghci runghc scala kotlin groovy "
    "jshell jruby elixir iex erl escript swipl guile racket sbcl clisp ocaml octave gnuplot r scilab "
    "maxima bc dc m expr tcl wish raku coffee zx mongosh mongo redis-cli sqlcmd"
)
RUNNERS: Final = frozenset(f"{SHELLS} {STARTERS} {INTERPRETERS}".split())
"""What follows one of them can be any command, or any program."""

LAUNCHING: Final = frozenset({"exec", "run", "x", "dlx", "foreach", "shell", "alias"})
"""Subcommands with which other programs, too, run what they are given."""
LAUNCHING_OPTIONS: Final = frozenset({"-c", "-e", "-x", "--eval", "--exec", "--command"})

ENDINGS: Final = (".exe", ".cmd", ".bat", ".ps1")


def program_of(word: str) -> str:
    """The bare name of a program: without folder, version and ending, and without what shells put before."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold().lstrip("!:@=&+")
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name.rstrip("0123456789.-") or name
