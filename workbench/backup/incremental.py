"""The last backup, and whether the next one can go on from it.

The note in ``.workbench/backups.json`` says where the last one went. Losing it costs nothing but that: what a
chain of bundles holds is read from the bundles themselves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from workbench.backup.bundles import Chain
from workbench.backup.targets import Target
from workbench.errors import BackupError, RepositoryStateError
from workbench.memory.names import CommitId
from workbench.repository.git_runner import ask
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.state_files import read_state, write_state
from workbench.workspace.workspace import Workspace

_BOOK = "backups.json"
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The last backup: where it is, which commit it holds, and when it was made (ISO 8601)."""

    target: str
    commit: str
    when: str


def remembered(workspace: Workspace) -> Remembered | None:
    """The last backup of this workspace, or None when none is known."""
    try:
        return msgspec.convert(read_state(workspace.root / STATE_DIR / _BOOK, _MAX_BYTES), Remembered)
    except msgspec.ValidationError:
        return None


def operations_since(workspace: Workspace, last: Remembered) -> int | None:
    """How many commits came after a backup; None when it is not part of this history any more."""
    try:
        if not is_ancestor(workspace, last.commit, workspace.history.head()):
            return None
        out = ask(workspace.history.carrier, "rev_list", "--count", f"{last.commit}..HEAD", "--")
    except RepositoryStateError:
        return None
    return int(out)


def remember(workspace: Workspace, target: Target, commit: CommitId) -> None:
    """Note that ``commit`` is saved in ``target``. Raises OSError."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    note = Remembered(target=target.place, commit=commit, when=made)
    write_state(workspace.state_dir() / _BOOK, asdict(note))


def basis_of(workspace: Workspace, target: Target, head: CommitId | None) -> tuple[CommitId | None, str]:
    """The commit that the newest chain ends with, if it can be gone on with; else why not.

    Raises BackupError where the chain is of another memory.
    """
    chain = Chain(Path(target.place))
    if not chain.bundles:
        return None, ""
    if fault := chain.fault():
        return None, f"{fault}: so a full backup is made"
    try:
        tip = chain.tip()
    except BackupError as error:
        return None, f"{error.message}: so a full backup is made"
    if tip is None or is_ancestor(workspace, tip, head):
        return tip, ""
    last = remembered(workspace)
    if not _has(workspace, tip) and (last is None or last.commit != tip):
        raise BackupError(
            f"{target.shown} holds the backup of another memory, or of commits that are not here",
            hint="name another folder, or begin a new chain in this one with --full: nothing is removed",
        )
    return None, "the history was rewritten since the last backup: so a full backup is made"


def _has(workspace: Workspace, commit: str) -> bool:
    try:
        ask(workspace.history.carrier, "cat_file", "-e", f"{commit}^{{commit}}")
    except RepositoryStateError:
        return False
    return True


def is_ancestor(workspace: Workspace, commit: str, head: CommitId | None) -> bool:
    """Whether ``commit`` is here and part of the history of ``head``."""
    if head is None or not _has(workspace, commit):
        return False
    try:
        ask(workspace.history.carrier, "merge_base", "--is-ancestor", commit, head)
    except RepositoryStateError:
        return False
    return True
