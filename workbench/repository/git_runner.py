"""The only place that starts git: GitPython's command runner, without what the workspace would have it run.

A repository's configuration, attributes and environment can name programs that git would run. Here they are
switched off, by means that win over every configuration file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE
from typing import Any, NamedTuple

from workbench.errors import NoGitError, RepositoryStateError
from workbench.safety.terminal import cut, visible_line
from workbench.special_files import require_regular_repository

_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.fsync": "all",
    "core.fsyncMethod": "fsync",
    "core.filesRefLockTimeout": "1000",
    "core.quotePath": "false",
    "commit.gpgsign": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "maintenance.auto": "false",
    "protocol.allow": "never",
}
_OLDEST = (2, 31)
"""Older ones ignore the overrides: they are given in variables that came with 2.31."""
_FLUSHES_ALL = (2, 36)
"""Older ones do not know `core.fsync`, and flush objects only by a setting that newer ones warn of."""
_OFF = {
    "filter": {"clean": "", "smudge": "", "process": "", "required": "false"},
    "hook": {"event": "", "enabled": "false"},
}
"""What switches off a filter, or a hook that newer versions configure, that has a name."""
_SSH = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT")
"""How the person starts ssh. Only a backup reaches another place: elsewhere no protocol is allowed."""
_LAST = 4
"""Lines in which a program that git started (ssh, a helper) says why it could not."""
_NO_CAUSE = re.compile(
    r"fatal: Could not read from remote repository\.|Please make sure you have the correct access rights"
    r"|and the repository exists\.|To \S+|Done|error: failed to push some refs to .*"
)
"""What git says of every failed connection."""
_REMOTE = ("fetch", "ls_remote")
"""Commands that reach another place."""
LOOKED_FOR = 100
"""Commits whose objects are looked for in a partial clone: a walk of all would take as long as a clone."""
PROTOCOLS = ("file", "git", "http", "https", "ssh")
"""How a backup may travel. What names a program (``ext::``) or a helper of its own is not among them."""


def reason(text: str) -> str:
    """The line in which git says what went wrong."""
    lines = str(text).strip().splitlines() or ["no reason given"]
    return next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1])


def cause(text: str) -> str:
    """Why another place could not be reached: the last lines of ssh and git, safe for a terminal."""
    lines = [visible_line(line.strip()) for line in text.strip().splitlines()]
    told = [line for line in lines if line and not _NO_CAUSE.fullmatch(line)]
    return "; ".join(cut(line, 300) for line in told[-_LAST:]) or reason(text)


def carrier_for(root: Path) -> Any:
    """GitPython's command runner, started in ``root``; of GIT_* variables only those of ssh are inherited.

    Raises SpecialFileError where git would wait for a named pipe in its own folder, and NoGitError.
    """
    require_regular_repository(root)
    for name in [n for n in os.environ if n.startswith("GIT_") and not n.startswith("GIT_PYTHON_")]:
        if name not in _SSH:
            del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    import git  # noqa: PLC0415 - 50 ms that browsing does not need

    from workbench.repository.git_process import GitRunner  # noqa: PLC0415

    carrier = GitRunner(os.fspath(root))
    try:
        version = carrier.version_info
    except (git.GitCommandNotFound, git.GitCommandError):
        raise NoGitError from None
    if version < _OLDEST:
        raise NoGitError(".".join(map(str, version)))
    carrier.update_environment(
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        GIT_ALLOW_PROTOCOL="",  # a partial clone must not fetch: its remote names the program to run
        GIT_NO_LAZY_FETCH="1",
        GIT_NO_REPLACE_OBJECTS="1",
    )
    return carrier


class Outcome(NamedTuple):
    """How a git ended: 0 where it did what was asked, what it printed, and what it complained of."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """What it printed, as paths and names are read, without the last line end."""
        return os.fsdecode(self.out).removesuffix("\n")


def outcome(
    carrier: Any, command: str, *arguments: str, data: bytes = b"", env: Mapping[str, str] | None = None
) -> Outcome:
    """How a command ends that is given ``data`` on its standard input.

    Raises SpecialFileError and RepositoryStateError where it would wait for ever.
    """
    process = getattr(carrier, command)(*arguments, as_process=True, istream=PIPE, env=env)
    out, err = carrier.answer(process, data)
    return Outcome(process.proc.returncode, bytes(out), err.decode("utf-8", "replace"))


def ask(carrier: Any, command: str, *arguments: str, data: bytes = b"") -> bytes:
    """What git prints. Raises RepositoryStateError with git's own reason when it fails."""
    found = outcome(carrier, command, *arguments, data=data)
    if found.status:
        why = (cause if command in _REMOTE else reason)(found.err)
        raise RepositoryStateError(
            f"git {command.replace('_', '-')} failed: {why}",
            hint="`git status` and `git fsck` show more",
        )
    return found.out


def references(carrier: Any, pattern: str) -> dict[str, str]:
    """The references that a pattern of ``git for-each-ref`` means, each with the object that it stands on."""
    out = ask(carrier, "for_each_ref", "--format=%(refname) %(objectname)", pattern)
    return dict(row.split(" ") for row in out.decode("utf-8", "replace").split("\n") if row)


def is_ancestor(carrier: Any, commit: str, tip: str) -> bool:
    """Whether a commit is there, and is ``tip`` or before it."""
    return outcome(carrier, "merge_base", "--is-ancestor", commit, tip).status == 0


def left_out(carrier: Any, prefix: str) -> tuple[str, int]:
    """The remote that a partial clone leaves objects with, and how many of the newest commits are not here.

    Only what stands below ``prefix`` counts. An empty name where nothing is left out.
    """
    found = outcome(carrier, "config", "--name-only", "--get-regexp", r"^remote\..*\.promisor$").text
    if not found:
        return "", 0
    options = ("--objects", "--missing=print", f"--max-count={LOOKED_FOR}")
    out = ask(carrier, "rev_list", *options, "HEAD", "--", *([f":(top,literal){prefix}"] if prefix else []))
    name = found.partition("\n")[0].removeprefix("remote.").removesuffix(".promisor")
    return name, sum(row.startswith(b"?") for row in out.split(b"\n"))


def network_carrier(folder: Path) -> Any:
    """A runner for the repository ``folder``, made by us: the one kind that may reach another place.

    Only the person's own environment and configuration count (their identity, `GIT_SSH_COMMAND` and
    `core.sshCommand`, their credential helpers): there is no other in ``folder``. ``ext::`` and helpers of
    that kind are never started.
    """
    carrier = carrier_for(folder)
    carrier.may_wait = True
    carrier.set_persistent_git_options(git_dir=folder)
    wanted = _OVERRIDES | {
        "protocol.allow": "user",
        "push.gpgSign": "false",
        "push.followTags": "false",
        "push.recurseSubmodules": "no",
        "fetch.recurseSubmodules": "false",
        "submodule.recurse": "false",
        "core.protectHFS": "true",
        "core.protectNTFS": "true",
        "core.autocrlf": "false",
        "core.commitGraph": "false",  # what is borrowed is believed object by object
        "core.multiPackIndex": "false",
        "pack.useBitmaps": "false",
    }
    overrides = configuration_overrides(configuration(carrier), carrier.version_info, wanted)
    carrier.update_environment(GIT_ALLOW_PROTOCOL=":".join(PROTOCOLS), **overrides)
    return carrier


def configuration(carrier: Any) -> dict[str, str]:
    """The person's identity, line ends, modes and all filters, from every level of configuration."""
    wanted = r"^(user\.(name|email)|core\.(autocrlf|filemode)|filter\..*|hook\..*)$"
    found = outcome(carrier, "config", "--null", "--get-regexp", wanted)
    records = [] if found.status else found.text.split("\0")
    return dict(record.partition("\n")[::2] for record in records if record)


def configuration_overrides(
    configured: Mapping[str, str], version: tuple[int, ...], wanted: Mapping[str, str] = _OVERRIDES
) -> dict[str, str]:
    """Environment variables that win over every configuration file, with the values that are ``wanted``.

    Filters are emptied by name: even a plain index update may hash a file that changed in the same
    instant, and would run its clean filter for that.
    """
    wanted = dict(wanted)
    if version < _FLUSHES_ALL:
        wanted["core.fsyncObjectFiles"] = "true"
    for key in configured:
        kind, name = key.partition(".")[0], key.rpartition(".")[0]
        wanted |= {f"{name}.{setting}": value for setting, value in _OFF.get(kind, {}).items()}
    environment = {"GIT_CONFIG_COUNT": str(len(wanted))}
    for number, (key, value) in enumerate(wanted.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment
