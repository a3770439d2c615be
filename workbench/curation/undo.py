"""Undo and redo: an operation's change is taken back where the text it left is still as it left it."""

from __future__ import annotations

from workbench.curation.lookup import find_operation
from workbench.errors import ConflictError, NotCuratableError
from workbench.memory.difference import OverlapError, revert
from workbench.workspace.plan import FileEdit, Operation, Plan
from workbench.workspace.workspace import Workspace

_BOOKKEEPING = frozenset({"undo", "redo", "external", "commit"})


def plan_undo(workspace: Workspace, operation: str | None = None) -> Plan:
    """Take back one operation: the newest that still stands, or the one whose id starts so.

    Raises ConflictError, naming the lines, when newer text is in the way, OperationNotFoundError,
    AmbiguousOperationError, ...
    """
    if operation is None:
        walk = workspace.operations.walk()
        target = next((o for o in walk if o.action not in _BOOKKEEPING and not o.undone), None)
        if target is None:
            raise NotCuratableError("there is nothing to undo")
    else:
        target = find_operation(workspace, operation)
        if target.undone:
            raise NotCuratableError(f"{target.id} is undone already", hint="`workbench redo` brings it back")
    return _inverse(workspace, target, "undo")


def plan_redo(workspace: Workspace) -> Plan:
    """Take back the newest undo, unless something new was done after it."""
    for operation in workspace.operations.walk():
        if operation.action == "undo" and not operation.undone:
            return _inverse(workspace, operation, "redo")
        if operation.action not in _BOOKKEEPING and not operation.undone:
            break
    raise NotCuratableError("there is nothing to redo")


def _inverse(workspace: Workspace, target: Operation, action: str) -> Plan:
    edits = tuple(
        FileEdit(edit.path, current, after)
        for edit in workspace.operations.edits(target)
        for current in (workspace.files.read_or_none(edit.path),)
        for after in (_reverted(edit, current),)
        if current != after
    )
    if not edits:
        raise NotCuratableError(f"the effect of {target.id} is gone already; nothing was changed")
    return Plan(
        action=action,
        summary=_subject(target),
        edits=edits,
        entries=target.entries,
        undoes=target.id,
    )


def _subject(target: Operation) -> str:
    """What is taken back, in the words it was done with, without a chain of `undo: redo: undo:`."""
    subject = target.summary
    while subject.startswith(("undo: ", "redo: ")):
        subject = subject[len("undo: ") :]
    return subject


def _reverted(edit: FileEdit, current: bytes | None) -> bytes | None:
    if current == edit.after:
        return edit.before
    if current == edit.before:
        return current  # somebody took this change back by hand
    if current is None:
        raise ConflictError(
            f"{edit.path} is gone, so the change in it cannot be taken back",
            hint="restore the file from git first",
        )
    if edit.after is None:
        raise ConflictError(
            f"{edit.path} exists again with other text; nothing was overwritten",
            hint="move it away, then undo",
        )
    try:
        reverted = revert(edit.before or b"", edit.after, current)
    except OverlapError as overlap:
        line = overlap.lines[0].decode("utf-8", "replace").strip()
        raise ConflictError(
            f"{edit.path} has newer text where this was: “{line[:80]}”; nothing was overwritten",
            hint="edit it by hand, or undo the newer change first",
        ) from None
    return None if edit.before is None and not reverted else reverted
