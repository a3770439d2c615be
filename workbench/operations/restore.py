"""Restoring: a file, or one entry of it, comes back from any commit."""

from __future__ import annotations

import contextlib

from workbench.errors import EntryNotFoundError, NotCuratableError, NotMemoryError, UsageError
from workbench.memory.entry import RelPath, path_of
from workbench.memory.file_edit import FileEdit
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document
from workbench.memory.move import MovedBlock, behind, lift, neighbours, section, set_down
from workbench.repository.objects import Commit
from workbench.workspace.plan import Plan
from workbench.workspace.revisions import commit_at
from workbench.workspace.workspace import Workspace


def plan_restore(workspace: Workspace, target: str, at: str, *, reason: str = "") -> Plan:
    """Bring ``target`` back as it was at the moment ``at`` (see ``workspace.revisions``).

    A path brings back the whole file, over what stands there now; an address ``path#hash`` brings one entry
    back to its section, beside the neighbours it had. Raises NotCuratableError when it is there already,
    EntryNotFoundError or UsageError when it was not there then, ReadOnlyError, NotMemoryError, ...
    """
    if not target:
        raise UsageError("no target was given", hint="give a memory file, or an entry: path#hash")
    workspace.require_own(target)
    path = RelPath(target)
    is_entry = not workspace.layout.may_curate(path)
    if is_entry:
        path = RelPath(path_of(target))
    if not workspace.layout.may_curate(path):
        raise NotMemoryError(target)
    commit = commit_at(workspace.history, at)
    then = workspace.history.blob(commit.id, path)
    if then is None:
        raise UsageError(
            f"{path} was not there in {_moment(commit)}", hint=f"`workbench log {path}` shows when it was"
        )
    now = workspace.files.read_or_none(path)
    if is_entry:
        summary, after, entries, became = _one(target, workspace.parsed(path, then), now, commit)
    elif now == then:
        raise NotCuratableError(f"{path} is unchanged since {_moment(commit)}; nothing was changed")
    else:
        summary, after = f"{path} as of {commit.when.astimezone():%Y-%m-%d %H:%M}", then
        entries = became = (path,)
    return Plan(
        action="restore",
        summary=summary,
        edits=(FileEdit(path, now, after),),
        entries=entries,
        became=became,
        reason=reason,
        trailers=(("From", commit.id),),
    )


def _one(
    target: str, old: Document, now: bytes | None, commit: Commit
) -> tuple[str, bytes, tuple[str, ...], tuple[str, ...]]:
    """One entry brought back: its title, the bytes of its file, and its parts' addresses then and now."""
    try:
        entry = old.find(target)
    except EntryNotFoundError:
        raise EntryNotFoundError(f"{target} in {_moment(commit)}") from None
    document = old.with_data(now or b"")
    if sum(e.hash == entry.hash for e in document.entries) >= entry.ordinal:
        raise NotCuratableError(
            f"“{entry.plain_title}” is already in {old.path}",
            hint=f"nothing was changed; `workbench restore {old.path} --at ...` restores the whole file",
        )
    block = next((block for block in blocks(old) if entry in block), (entry,))
    (passage,) = lift(old, block)
    after, index = _placed(document, old, passage)
    standing = blocks(after)[index]
    became = tuple(standing[min(at, len(standing) - 1)].address for at in range(len(block)))
    return entry.plain_title, after.data, tuple(part.address for part in block), became


def _placed(document: Document, old: Document, passage: MovedBlock) -> tuple[Document, int]:
    """The document with the passage behind what it stood behind, else at the end of its section."""
    heading = passage.entries[0].heading
    for said in neighbours(old, passage):
        if place := behind(document, heading, said):
            with contextlib.suppress(NotCuratableError):
                return set_down(document, place, [passage])
    return set_down(document, section(document, heading), [passage])


def _moment(commit: Commit) -> str:
    return f"{commit.id[:12]} ({commit.when.astimezone():%Y-%m-%d %H:%M})"
