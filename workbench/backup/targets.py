"""Where a backup goes: a folder of bundles, one bundle file, or a git remote; and pushing to a remote."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from workbench.errors import BackupError, ConflictError, RepositoryStateError, UsageError
from workbench.frozen import frozen
from workbench.repository.git_repository import History
from workbench.repository.git_runner import (
    PROTOCOLS,
    Outcome,
    ask,
    cause,
    network_carrier,
    outcome,
    references,
)
from workbench.repository.line_blame import prepare_empty
from workbench.repository.objects import CommitId
from workbench.safety.terminal import visible_line
from workbench.temporary import scratch

Kind = Literal["folder", "file", "remote"]
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SSH_SHORT = re.compile(r"[^/:\s-][^/:\s]*:(?!:)[^\s].*")
_REMOTE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SECRET = re.compile(r"(https?://|://[^/@:\s]*:)[^/@\s]+@", re.IGNORECASE)


@frozen
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
        if self.local or (_SCHEME.match(self.place) and not self.place.startswith("ssh://")):
            return ""
        host = self.place.removeprefix("ssh://").split("/")[0].split(":")[0]
        return (
            f"try `ssh {visible_line(without_secret(host))}` by hand; `GIT_SSH_COMMAND`, `GIT_SSH`"
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
            f"{text!r} is not a backup target", hint="use a folder, a *.bundle file or a git remote"
        )
    url = ""
    if history and _REMOTE_NAME.fullmatch(text):
        said = outcome(history.carrier, "config", "--null", "--get", f"remote.{text}.url").text
        url = said.split("\0")[0]
    if history and url:
        if Path(text).exists():
            raise UsageError(
                f"{text} is a remote of this repository and a file or folder here",
                hint=f"write ./{text} for the one, or its address for the other: {without_secret(url)}",
            )
        return _checked(url, history.top)
    return _checked(text, Path.cwd())


def refuse_inside(target: Target, history: History) -> None:
    """Raise UsageError for a place inside the repository: it would be lost together with it."""
    if not target.local:
        return
    place = Path(os.path.realpath(target.local))
    for inside in (history.top, history.common_dir, history.git_dir):
        if place.is_relative_to(os.path.realpath(inside)):
            raise UsageError(
                f"{target.shown} is inside the repository that is backed up",
                hint="use a target outside of it, so that one loss does not take both",
            )


def without_secret(text: str) -> str:
    """A text with the passwords of its URLs taken out."""
    return _SECRET.sub(r"\1…@", text)


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
            f"{path} is neither a repository, a folder nor a *.bundle file",
            hint="create a repository with: git init --bare DIR.git",
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


# -- a repository of our own for one backup ----------------------------------------------------------

LEDGERS = "refs/workbench/"
"""What the references of ledgers begin with."""
DETACHED = "workbench/backup"
"""The branch that stands for a detached HEAD in a backup."""
_QUIET_RECEIVER = (
    "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true "
    "-c receive.denyCurrentBranch=refuse -c receive.autogc=false -c maintenance.auto=false receive-pack"
)
"""What receives on this machine's disk: nothing that the receiving repository names is run either."""


def branch_of(history: History) -> str:
    """The branch that HEAD is on, in full below ``refs/heads/``; ``DETACHED`` where there is none."""
    name = outcome(history.carrier, "symbolic_ref", "--quiet", "HEAD").text
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else DETACHED


@contextlib.contextmanager
def borrowing(history: History, commit: CommitId, branch: str, ledgers: Mapping[str, str]) -> Iterator[Any]:
    """The runner of a bare repository whose only branch stands at ``commit``, gone after the block.

    It has ``ledgers``, too: their references, with their commits. It lies in a temporary folder and borrows
    the workspace's objects, but nothing of its configuration. So no remote, helper, command, hook or
    rewritten address that the workspace names takes part in a bundle or a push.
    """
    with scratch("backup") as place:
        prepare_empty(place, algorithm=history.algorithm, objects=history.common_dir / "objects")
        carrier = network_carrier(place)
        ask(carrier, "symbolic_ref", "HEAD", f"refs/heads/{branch}")
        ask(carrier, "update_ref", f"refs/heads/{branch}", commit)
        for name, at in ledgers.items():
            ask(carrier, "update_ref", name, at)
        yield carrier


def ledgers_of(carrier: Any) -> dict[str, str]:
    """The references of a repository under which ledgers stand, with their commits."""
    return references(carrier, f"{LEDGERS}*/ledger")


def push_ledgers(carrier: Any, target: Target) -> tuple[bool, str]:
    """Send the ledgers to the same names there, never forced.

    Whether anything was new, and why that was not possible, or empty.
    """
    names = [f"{name}:{name}" for name in ledgers_of(carrier)]
    if not names:
        return False, ""
    sent = _sent(carrier, target, *names)
    rows = [row for row in sent.text.split("\n") if f":{LEDGERS}" in row]
    if not sent.status:
        return any(not row.startswith("=") for row in rows), ""
    for row in rows:
        if _has_more(row):
            name = row.split("\t")[1].partition(":")[2]
            fetched = f"{name.removesuffix('ledger')}fetched/backup"
            return False, (
                f"the ledger was not sent: {target.shown} has another one; if that is yours, "
                f"`git fetch {shlex.quote(target.shown)} '{name}:{fetched}'` and `workbench doctor --fix` "
                "take it over, and the next backup sends both"
            )
    return False, f"the ledger was not sent: {target.shown} refuses it; `git push` may show more"


def push(carrier: Any, target: Target, branch: str) -> bool:
    """Send the branch to the same name there; whether anything was new. Never forced.

    Raises ConflictError where the other side has commits that we do not, BackupError when it cannot be
    reached or refuses.
    """
    ref = f"refs/heads/{branch}"
    sent = _sent(carrier, target, f"{ref}:{ref}")
    line = next((row for row in sent.text.split("\n") if f":{ref}\t" in row), "")
    if sent.status and _has_more(line):
        raise ConflictError(
            f"{target.shown} has commits on {branch} that are not here; nothing was sent",
            hint="pull them first (git pull), or use another target: a backup is never forced",
        )
    if sent.status:
        why = visible_line(line.rpartition("\t")[2]) or cause(sent.err)
        raise BackupError(
            f"{target.shown} rejected the backup: {without_secret(why)}",
            hint=f"nothing was changed here; {target.help or 'try `git push` by hand to see more'}",
        )
    return not line.startswith("=")


def _sent(carrier: Any, target: Target, *names: str) -> Outcome:
    receiver = (f"--receive-pack={_QUIET_RECEIVER}",) if target.local else ()
    return outcome(carrier, "push", "--porcelain", "--no-verify", *receiver, "--", target.place, *names)


def _has_more(row: str) -> bool:
    """Whether git says of a reference that the other side has commits of its own."""
    return "fetch first" in row or "non-fast-forward" in row


def remote_refs(carrier: Any, target: Target) -> tuple[dict[str, str], str]:
    """The branches of a remote with their commits, and the name of the one that its HEAD is on.

    Raises BackupError when it cannot be reached.
    """
    try:
        arguments = ("--symref", "--", target.place, "HEAD", "refs/heads/*")
        out = os.fsdecode(ask(carrier, "ls_remote", *arguments))
    except RepositoryStateError as error:
        raise BackupError(
            f"{target.shown} cannot be read: {without_secret(error.message)}",
            hint=target.help or "is it there, and may you read it?",
        ) from error
    branches, head = {}, ""
    for row in out.split("\n"):
        what, _, name = row.partition("\t")
        if what.startswith("ref: ") and name == "HEAD":
            head = what.removeprefix("ref: refs/heads/")
        elif name.startswith("refs/heads/"):
            branches[name.removeprefix("refs/heads/")] = what
    return branches, head
