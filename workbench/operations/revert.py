"""Undo among undos: what a file would be if an operation had never been, as its versions in history tell.

Lines alone cannot say in which order two operations' text stood when both took it from the same place. Where
nothing new was done after an operation but undos, history can: the version before it is there, and what else
is undone by now is taken back from that version, the newest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

from workbench.memory.file_edit import FileEdit
from workbench.memory.names import RelPath
from workbench.memory.patch import split_lines
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

_DEPTH = 64
"""Operations on a file that are looked at, from the newest."""
Taken = Callable[[FileEdit, bytes | None], bytes | None]
"""How one change is taken back from a version of the file; raises ConflictError."""


def unwound(
    workspace: Workspace, target: Operation, edit: FileEdit, current: bytes | None, take_back: Taken
) -> FileEdit | None:
    """The file without ``target`` and without all that is undone besides; None where history cannot say.

    Raises what ``take_back`` raises.
    """
    walk = islice(workspace.operations.walk(path=edit.path), _DEPTH)
    later: list[Operation] = []
    for operation in walk:
        if operation.id == target.id:
            break
        later.append(operation)
    else:
        return None
    others = _others(target, later)
    if not later or others is None or not _is_chain(workspace, edit, later, current):
        return None
    before = [operation for operation in walk if operation.id in others]
    if len(before) < len(others):
        return None
    version = edit.before
    for operation in before:
        version = take_back(_change(workspace, operation, edit.path), version)
    return FileEdit(edit.path, current, version)


def same_words(one: bytes | None, other: bytes | None) -> bool:
    """Whether two versions have the same lines, blank ones and their order aside."""
    return _lines(one) == _lines(other)


def _others(target: Operation, later: Sequence[Operation]) -> set[str] | None:
    """Which operations before ``target`` are undone by now; None where something new was done after it."""
    new = {operation.id for operation in later if operation.undoes is None}
    about: dict[str, str] = {}  # an undo, or a redo: the operation that it is about in the end
    flipped: set[str] = set()
    for operation in reversed(later):
        if operation.undoes is not None:
            about[operation.id] = about.get(operation.undoes, operation.undoes)
            flipped ^= {about[operation.id]}
    return None if new - flipped else flipped - new - {target.id}


def _is_chain(
    workspace: Workspace, edit: FileEdit, newest_first: Sequence[Operation], current: bytes | None
) -> bool:
    """Whether the versions follow upon each other, from what the target left to what is there now."""
    version = edit.after
    for operation in reversed(newest_first):
        change = _change(workspace, operation, edit.path)
        if change.before != version:
            return False
        version = change.after
    return version == current


def _change(workspace: Workspace, operation: Operation, path: str) -> FileEdit:
    """What an operation did to a file."""
    found = (edit for edit in workspace.operations.edits(operation) if edit.path == path)
    return next(found, FileEdit(RelPath(path), None, None))


def _lines(data: bytes | None) -> Counter[bytes]:
    return Counter(line.strip() for line in split_lines(data or b"") if line.strip())
