"""What stands on disk and in no commit yet: words of agents and editors, and how they are recorded."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from workbench.errors import NoRepositoryError, RepositoryStateError, disk_error
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.repository.git_repository import History
from workbench.repository.git_runner import ask
from workbench.repository.objects import BlobId, CommitId
from workbench.workspace.layout import HIDDEN, LEDGER, QUARANTINE, SETTINGS_FILE, Layout, scan
from workbench.workspace.plan import Operation

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_BESIDE = Layout(include=(SETTINGS_FILE, f"{QUARANTINE}**/*.md", f"{LEDGER}**"), exclude=HIDDEN)
"""What is kept with the memory although it is not searched."""
_SLACK_SECONDS = 5.0
"""By so much the clocks of files and commits may differ."""
_MANY = 20
_NEARLY_ALL = 0.9


@frozen
class UnrecordedChanges:
    """Files that differ from a commit with their bytes (None: gone), and those that git ignores."""

    changes: dict[RelPath, bytes | None]
    ignored: tuple[RelPath, ...]


def is_recorded(workspace: Workspace, path: str) -> bool:
    """Whether ``path`` is kept in git with the memory: memory, quarantine, ledger, settings."""
    return workspace.layout.holds(path) or _BESIDE.holds(path)


def record(workspace: Workspace, *, allow_secrets: bool = False) -> Operation | None:
    """Commit what agents and editors wrote, and nothing else; None when nothing is new.

    ``allow_secrets``: a secret that git does not hold yet is recorded too, instead of SecretFoundError.
    Files that git ignores and does not hold stay out of it: that is their owner's decision. Raises what
    ``Operations.record`` raises, and RepositoryStateError when nearly all files have vanished.
    """
    return workspace.operations.record(
        lambda head: unrecorded(workspace, head).changes, allow_secrets=allow_secrets
    )


def checkout(workspace: Workspace) -> tuple[str, int]:
    """The branch, empty where there is none, and how many memory files git finds different from its commit.

    It asks git, which reads what looks changed only; a history of ours is on no branch. Raises
    RepositoryStateError.
    """
    history = workspace.history
    if history.own:
        changed = unrecorded(workspace, history.head(), whole=False, names=True).changes
        return "", sum(map(workspace.layout.holds, changed))
    given = ("--porcelain=v2", "--branch", "--no-renames", "--untracked-files=all", "-z", "--", ".")
    records = os.fsdecode(history.run("status", *given)).split("\0")
    name = next((one[14:] for one in records if one.startswith("# branch.head ")), "")
    fields = {"1": 8, "u": 10, "?": 1}
    differing = [one.split(" ", fields[one[0]])[-1] for one in records if one[:1] in fields]
    here = (path.removeprefix(history.prefix) for path in differing if path.startswith(history.prefix))
    return "" if name == "(detached)" else name, sum(map(workspace.layout.holds, here))


def unrecorded(
    workspace: Workspace, head: CommitId | None, *, whole: bool = True, names: bool = False
) -> UnrecordedChanges:
    """Compare what is on disk with the commit ``head``. Writes nothing. Raises WorkbenchError.

    Unless ``whole``, files that were last changed before that commit are taken to be as it has them. Where
    only ``names`` are asked for, new files are not read, and the bytes of no file are kept.
    """
    kept = recorded_files(workspace, head)
    since = 0.0 if whole or not head else workspace.history.commit(head).when.timestamp() - _SLACK_SECONDS
    changes: dict[RelPath, bytes | None] = {}
    here = {
        file.path: file.ctime_ns / 1e9
        for layout in (workspace.layout, _BESIDE)
        for file in scan(workspace.root, layout)
    }
    for path in sorted(here):
        known = kept.get(path)
        if known and here[path] < since:
            continue
        data = b"" if names and not known else workspace.files.read_or_none(path)
        if data is not None and known != workspace.history.name_of(data):
            changes[path] = b"" if names else data
    fresh = [path for path in changes if path not in kept]
    left_alone = workspace.history.ignored(fresh)
    for path in left_alone:
        del changes[path]
    gone = _gone(workspace, [path for path in kept if path not in here])
    if vanished(len(gone), len(kept), len(fresh)):
        raise RepositoryStateError(
            f"{len(gone)} of {len(kept)} files are missing; nothing was recorded",
            hint="a folder may not be mounted. If you removed them on purpose, commit that with git: git "
            "commit -a",
        )
    return UnrecordedChanges(changes | dict.fromkeys(gone), left_alone)


def recorded_files(workspace: Workspace, commit: CommitId | None) -> dict[RelPath, BlobId]:
    """The files of a commit that are kept with the memory, with the names of their bytes."""
    if not commit:
        return {}

    def enter(folder: str, _: str) -> bool:
        return not (workspace.layout.prunes(folder) and _BESIDE.prunes(folder))

    found = workspace.history.files_in(commit, enter)
    return {path: blob for path, blob in found if is_recorded(workspace, path)}


def _gone(workspace: Workspace, missing: list[RelPath]) -> list[RelPath]:
    """Those of the files that are really removed: not left out by a sparse checkout, not out of reach."""
    if not missing:
        return []
    left_out: set[str] = set()
    history = workspace.history
    with contextlib.suppress(NoRepositoryError), contextlib.ExitStack() as stack:
        person = history.beside if history.own else history
        if not person:  # it was the history itself when that was opened, or there is none
            person = stack.enter_context(contextlib.closing(History.open(workspace.root)))
        rows = os.fsdecode(ask(person.carrier, "ls_files", "-t", "-z")).split("\0")
        left_out = {row[2:] for row in rows if row.startswith("S ")}
    gone = []
    for path in missing:
        if path in left_out:
            continue
        try:
            os.lstat(workspace.root / path)
        except (FileNotFoundError, NotADirectoryError):
            gone.append(path)
        except OSError as error:
            raise disk_error(error) from error
    return gone


def vanished(lost: int, before: int, fresh: int) -> bool:
    """Whether (nearly) all files are gone at once, as those of an unmounted folder seem to be."""
    all_gone = lost == before and not fresh and before > 1
    return all_gone or (lost >= _MANY and lost > before * _NEARLY_ALL and fresh < lost / 2)
