"""Where a backup goes: a folder of bundles, one bundle file, or a git remote."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from workbench.errors import RepositoryStateError, UsageError
from workbench.repository.git_runner import PROTOCOLS, ask
from workbench.repository.history import History
from workbench.safety.terminal import visible

Kind = Literal["folder", "file", "remote"]
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SSH_SHORT = re.compile(r"[^/:\s-][^/:\s]*:(?!:)[^\s].*")
_REMOTE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SECRET = re.compile(r"(https?://|://[^/@:\s]*:)[^/@\s]+@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A place for backups: an absolute path, or the URL of a remote.

    ``own``: it may hold a history that is kept apart from any repository.
    """

    kind: Kind
    place: str
    own: bool = False

    @property
    def shown(self) -> str:
        """The place as it is said and printed: without a password."""
        return without_secret(self.place)

    @property
    def help(self) -> str:
        """What to try where a place behind ssh cannot be reached; empty for all others."""
        if self.kind != "remote" or not (self.place.startswith("ssh://") or _is_ssh_short(self.place)):
            return ""
        host = self.place.removeprefix("ssh://").split("/")[0].split(":")[0]
        return (
            f"try `ssh {visible(without_secret(host), one_line=True)}` by hand; `GIT_SSH_COMMAND`, `GIT_SSH`"
            " and the core.sshCommand of your own git configuration are used"
        )

    @property
    def local(self) -> Path | None:
        """The place on this machine's disk, or None when it is somewhere else."""
        if self.place.startswith("file://"):
            return Path(unquote(self.place.removeprefix("file://")))
        return Path(self.place) if self.place.startswith("/") else None


def find_target(text: str, history: History | None = None) -> Target:
    """What a person means by ``text``; the names of remotes are those of ``history``.

    The URL of a remote is read as data: nothing else of the repository's configuration counts. Raises
    UsageError for what cannot be one, and for protocols that start a program.
    """
    if not text or text.startswith("-") or any(ord(mark) < 32 for mark in text):
        raise UsageError(
            f"{text!r} is no place for a backup", hint="a folder, a *.bundle file, or a git remote"
        )
    if history is not None and _REMOTE_NAME.fullmatch(text) and (url := _url_of(history, text)):
        if Path(text).exists():
            raise UsageError(
                f"{text} is a remote of this repository and a file or folder here",
                hint=f"write ./{text} for the one, or its address for the other: {without_secret(url)}",
            )
        top = os.fsdecode(ask(history.carrier, "rev_parse", "--show-toplevel")).rstrip("\n")
        return _checked(url, Path(top))
    return _checked(text, Path.cwd())


def refuse_inside(target: Target, history: History) -> None:
    """Raise UsageError for a place inside the repository: it would be lost together with it."""
    if target.local is None:
        return
    out = os.fsdecode(
        ask(
            history.carrier,
            "rev_parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-common-dir",
            "--absolute-git-dir",
        )
    )
    place = Path(os.path.realpath(target.local))
    for inside in (Path(os.path.realpath(line)) for line in out.removesuffix("\n").split("\n")):
        if place.is_relative_to(inside):
            raise UsageError(
                f"{target.shown} is inside the repository that is backed up",
                hint="what happens to the one happens to the other: name a place outside of it",
            )


def without_secret(text: str) -> str:
    """A text with the passwords of its URLs taken out."""
    return _SECRET.sub(r"\1…@", text)


def _is_ssh_short(text: str) -> bool:
    return _SCHEME.match(text) is None and _SSH_SHORT.fullmatch(text) is not None


def _checked(text: str, base: Path) -> Target:
    scheme = _SCHEME.match(text)
    if scheme:
        if scheme[1].lower() not in PROTOCOLS or "::" in text.partition("://")[0]:
            raise _not_allowed(text)
        return Target("remote", text)
    path = Path(os.path.abspath(base / Path(text).expanduser()))
    if not path.exists():
        if "::" in text.partition("/")[0]:
            raise _not_allowed(text)
        if _SSH_SHORT.fullmatch(text):
            return Target("remote", text)
    if path.is_dir():
        return Target("remote" if _is_repository(path) else "folder", str(path))
    if path.name.endswith(".bundle"):
        return Target("file", str(path))
    if path.name.endswith(".git") or path.exists():
        raise UsageError(
            f"{path} is no repository, no folder and no *.bundle file",
            hint="make a repository for it with: git init --bare DIR.git",
        )
    return Target("folder", str(path))


def _not_allowed(text: str) -> UsageError:
    return UsageError(
        f"{without_secret(text)} names a way that a backup may not take",
        hint="allowed: a path, or " + ", ".join(f"{name}://" for name in PROTOCOLS),
    )


def _is_repository(path: Path) -> bool:
    bare = (path / "HEAD").is_file() and (path / "objects").is_dir()
    return bare or (path / ".git").exists()


def _url_of(history: History, name: str) -> str:
    try:
        out = ask(history.carrier, "config", "--null", "--get", f"remote.{name}.url")
    except RepositoryStateError:
        return ""
    return os.fsdecode(out).split("\0")[0]
