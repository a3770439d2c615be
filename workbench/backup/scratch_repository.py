"""A repository of our own for one backup: the workspace's objects, and nothing of its configuration.

Bundles and pushes are made from an empty bare repository in a temporary folder that borrows the objects. So
no remote, helper, command, hook or rewritten address that the workspace names can have a part in it.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.backup.targets import Target, without_secret
from workbench.errors import BackupError, ConflictError, RepositoryStateError
from workbench.memory.names import CommitId
from workbench.repository.git_runner import Outcome, ask, cause, network_carrier, outcome
from workbench.repository.history import History
from workbench.safety.terminal import visible
from workbench.temporary import scratch

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
    try:
        out = ask(history.carrier, "symbolic_ref", "--quiet", "HEAD")
    except RepositoryStateError:
        return DETACHED
    name = os.fsdecode(out).rstrip("\n")
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else DETACHED


def new_repository(folder: Path, algorithm: str, *, bare: bool) -> Any:
    """An empty repository without any template, and the runner for it."""
    git_dir = folder if bare else folder / ".git"
    git_dir.mkdir(parents=True)
    carrier = network_carrier(git_dir)
    options = ("--bare",) if bare else ()
    ask(carrier, "init", "--quiet", "--template=", f"--object-format={algorithm}", *options)
    if not bare:
        ask(carrier, "config", "core.bare", "false")
    return carrier


@contextlib.contextmanager
def borrowing(history: History, commit: CommitId, branch: str, ledgers: Mapping[str, str]) -> Iterator[Any]:
    """The runner of a bare repository whose only branch stands at ``commit``, gone after the block.

    It has ``ledgers``, too: their references, with their commits.
    """
    objects = ask(history.carrier, "rev_parse", "--path-format=absolute", "--git-path", "objects")
    algorithm = ask(history.carrier, "rev_parse", "--show-object-format").decode().strip()
    with scratch("backup") as place:
        folder = place / "spare.git"
        carrier = new_repository(folder, algorithm, bare=True)
        (folder / "objects" / "info").mkdir(exist_ok=True)
        (folder / "objects" / "info" / "alternates").write_bytes(_quoted(objects[:-1]) + b"\n")
        ask(carrier, "symbolic_ref", "HEAD", f"refs/heads/{branch}")
        ask(carrier, "update_ref", f"refs/heads/{branch}", commit)
        for name, at in ledgers.items():
            ask(carrier, "update_ref", name, at)
        yield carrier


def ledgers_of(carrier: Any) -> dict[str, str]:
    """The references of a repository under which ledgers stand, with their commits."""
    out = ask(carrier, "for_each_ref", "--format=%(refname) %(objectname)", f"{LEDGERS}*/ledger")
    return dict(row.split(" ") for row in out.decode("utf-8", "replace").splitlines())


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
    return False, f"the ledger was not sent: {target.shown} refuses it; `git push` by hand may tell more"


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
            hint="bring them here first (git pull), or name another place: a backup is never forced",
        )
    if sent.status:
        why = visible(line.rpartition("\t")[2], one_line=True) or cause(sent.err)
        raise BackupError(
            f"{target.shown} did not take the backup: {without_secret(why)}",
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


def _quoted(path: bytes) -> bytes:
    """A path as git quotes it in lists of alternates."""
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
