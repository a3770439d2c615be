"""Undo and redo: an operation's change is reversed where the text it left is still as it left it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice

from workbench.errors import ConflictError, NotCuratableError
from workbench.memory.entry import Form, Kind, RelPath
from workbench.memory.file_edit import FileEdit, OverlapError, hunks, revert, split_lines
from workbench.memory.invariants import Block, blocks, sign, span_of
from workbench.memory.markdown import parse_document
from workbench.memory.provenance import Provenance
from workbench.plural import first_few
from workbench.safety.terminal import visible_line
from workbench.workspace.layout import LEDGER, RECALL_TESTS, SETTINGS_FILE, SYSTEM
from workbench.workspace.ledger import ACTION, line_digest
from workbench.workspace.plan import LedgerRecord, Operation, Plan, ledger_records
from workbench.workspace.templates import TEMPLATES
from workbench.workspace.transaction import LEDGER_TRAILER
from workbench.workspace.workspace import Workspace

_MOST_NAMED = 5
_DEPTH = 64
"""Operations on a file that are looked at, from the newest."""
_BOOKKEEPING = frozenset({"undo", "redo", "external", "commit", ACTION})
_SET_UP = frozenset({SETTINGS_FILE, RECALL_TESTS, *(name for files in TEMPLATES.values() for name in files)})


def plan_undo(workspace: Workspace, operation: str | None = None) -> Plan:
    """Take back one operation: the newest that still stands, or the one whose id starts so.

    To take an undo back is a redo, and is recorded as one.

    Raises ConflictError, naming the lines, when newer text is in the way, OperationNotFoundError,
    AmbiguousOperationError, ...
    """
    if operation is None:
        walk = workspace.operations.walk()
        target = next((o for o in walk if o.action not in _BOOKKEEPING and not o.undone), None)
        if not target:
            raise NotCuratableError("there is nothing to undo")
    else:
        target = _found(workspace, operation)
    return _inverse(workspace, target, "redo" if target.action == "undo" else "undo")


def plan_redo(workspace: Workspace, operation: str | None = None) -> Plan:
    """Take back the newest undo, unless something new was done after it; or the undo of ``operation``.

    ``operation`` begins the id of an undo, or of what one took back. Raises as ``plan_undo`` does.
    """
    if operation is not None:
        return _inverse(workspace, _standing_undo(workspace, _found(workspace, operation)), "redo")
    for done in workspace.operations.walk():
        if done.action == "undo" and not done.undone:
            return _inverse(workspace, done, "redo")
        if done.action not in _BOOKKEEPING and not done.undone:
            break
    raise NotCuratableError("there is nothing to redo")


def _found(workspace: Workspace, operation: str) -> Operation:
    workspace.require_own(operation)
    return workspace.operations.find(operation)


def _standing_undo(workspace: Workspace, target: Operation) -> Operation:
    """The undo that ``target`` is, or that undoes it at present."""
    if target.action == "undo":
        if target.undone:
            raise NotCuratableError(f"what {target.id} undid is already redone")
        return target
    standing = (o for o in workspace.operations.walk() if o.undoes == target.id and not o.undone)
    found = next(standing, None) if target.undone else None
    if not found:
        raise NotCuratableError(
            f"{target.id} is not undone, so there is nothing to redo", hint="undo undoes it"
        )
    return found


def _inverse(workspace: Workspace, target: Operation, action: str) -> Plan:
    done, left_out = _of_memory(workspace, target)
    edits = tuple(
        FileEdit(edit.path, current, after, edit.mode if current is None else None)
        for edit in done
        for current in (workspace.files.read_or_none(edit.path),)
        if not (target.undone and _is_gone(edit, current))
        if not (edit.path.startswith(LEDGER) and current is None and edit.after is not None)
        for after in (_without(workspace, target, edit, current),)
        if current != after
    )
    records = _taken_back(workspace, target, done)
    if not edits and not records:
        if target.undone:
            raise NotCuratableError(f"{target.id} is already undone", hint="`workbench redo` redoes it")
        raise NotCuratableError(f"the effect of {target.id} is already gone; nothing was changed")
    return Plan(
        action=action,
        summary=_subject(target),
        edits=edits,
        records=records,
        entries=target.entries,
        undoes=target.id,
        notes=left_out,
    )


def _taken_back(
    workspace: Workspace, target: Operation, edits: Sequence[FileEdit]
) -> tuple[LedgerRecord, ...]:
    """What the ledger must say so that the operation's records count no more; nothing where it says so.

    Version 0.1 wrote its records into files, which may have been moved into the ledger since.
    """
    lines = [
        line_digest(line)
        for edit in edits
        if edit.path.startswith(LEDGER) and edit.after is not None
        for hunk in hunks(edit.before or b"", edit.after)
        for line in hunk.new
        if line.strip()
    ]
    has_records = any(key == LEDGER_TRAILER and book != "provenance" for key, book in target.trailers)
    if not (has_records or lines) or workspace.ledger.is_undone(target.id):
        return ()
    told = {"undoes": target.id, **({"lines": lines} if lines else {})}
    return ledger_records("undone", [told], datetime.now(UTC))


def _of_memory(workspace: Workspace, target: Operation) -> tuple[list[FileEdit], tuple[str, ...]]:
    """What an operation did to memory, and a note on other files, which stay as they are.

    A plain commit may have changed anything, and whoever wrote it may have signed it as an operation.
    """
    edits = workspace.operations.edits(target.commit)
    ours = [edit for edit in edits if _is_memory(workspace, edit.path)]
    others = [visible_line(edit.path) for edit in edits if not _is_memory(workspace, edit.path)]
    if not others:
        return ours, ()
    named = ", ".join(first_few(others, _MOST_NAMED))
    if not ours:
        raise NotCuratableError(
            f"{target.id} changed no memory: {named}", hint=f"git revert {target.commit[:12]} undoes it"
        )
    return ours, (f"not memory, so not changed: {named}",)


def _is_memory(workspace: Workspace, path: RelPath) -> bool:
    """Whether undo may touch a file: memory, quarantine, queues, and what the workbench itself sets up."""
    ours = path.startswith(SYSTEM) or path in _SET_UP
    return ours or workspace.layout.may_curate(path) or workspace.layout.is_queue(path)


def _is_gone(edit: FileEdit, current: bytes | None) -> bool:
    """Whether a file is without the change of an operation that some commit says it undid.

    Anybody can write such a line into a commit, so the file decides. Lines that were added stand there or do
    not; where lines were only taken out, they are there again.
    """
    if current in (edit.before, edit.after):
        return current != edit.after
    if current is None or edit.after is None:
        return True
    before = edit.before or b""
    if _fits(before, edit.after, current):
        return all(not hunk.new for hunk in hunks(before, edit.after)) and _fits(edit.after, before, current)
    return _fits(edit.after, before, current)


def _fits(before: bytes, after: bytes, current: bytes) -> bool:
    """Whether the change from ``before`` to ``after`` can be reversed."""
    try:
        revert(before, after, current)
    except OverlapError:
        return False
    return True


def _subject(target: Operation) -> str:
    """What is undone, in the words of the operation, without a chain of `undo: redo: undo:`."""
    subject = target.summary
    while subject.startswith(("undo: ", "redo: ")):
        subject = subject[len("undo: ") :]
    return subject


def _without(workspace: Workspace, target: Operation, edit: FileEdit, current: bytes | None) -> bytes | None:
    """The file without the operation's change, in the order that history knows where lines cannot say."""
    reverted = _reverted(edit, current)
    if current in (edit.before, edit.after):
        return reverted
    with contextlib.suppress(ConflictError):
        known = _unwound(workspace, target, edit, current)
        if known and _words_of(known.after) == _words_of(reverted):
            return known.after
    return reverted


def _unwound(
    workspace: Workspace, target: Operation, edit: FileEdit, current: bytes | None
) -> FileEdit | None:
    """The file without ``target`` and without all that is undone besides; None where history cannot say.

    Lines alone cannot say in which order two operations' text stood when both took it from the same place.
    Where nothing new was done after an operation but undos, history can: the version before it is there, and
    what else is undone by now is removed from that version, the newest first. Raises ConflictError.
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
        version = _reverted(_change(workspace, operation, edit.path), version)
    return FileEdit(edit.path, current, version)


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
    found = (edit for edit in workspace.operations.edits(operation.commit) if edit.path == path)
    return next(found, FileEdit(RelPath(path), None, None))


def _words_of(data: bytes | None) -> Counter[bytes]:
    """The lines of a version, blank ones and their order aside."""
    return Counter(line.strip() for line in split_lines(data or b"") if line.strip())


def _reverted(edit: FileEdit, current: bytes | None) -> bytes | None:
    if current == edit.after:
        return edit.before
    if current == edit.before:
        return current  # somebody took this change back by hand
    if current is None:
        raise ConflictError(
            f"{edit.path} no longer exists, so the change in it cannot be undone",
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
            f"{edit.path} has newer text in this place: “{line[:80]}”; nothing was overwritten",
            hint="edit it by hand, or undo the newer change first",
        ) from None
    if not _keeps_entries(edit, current, reverted):
        raise ConflictError(
            f"{edit.path} has newer text that would merge with the restored text; nothing was overwritten",
            hint="separate it with blank lines, or undo the newer change first",
        )
    return None if edit.before is None and not reverted else reverted


def _keeps_entries(edit: FileEdit, current: bytes, reverted: bytes) -> bool:
    """Whether the entries that are not the operation's stand in ``reverted`` as they stand now.

    One that holds a line of the operation among newer ones is left with the newer ones.
    """
    if not edit.path.endswith(".md"):
        return True
    before, after = edit.before or b"", edit.after or b""
    written = {line.strip() for hunk in hunks(before, after) for line in hunk.new} - {b""}
    then, left, result = (_standing(edit.path, data) for data in (before, after, reverted))
    needed: Counter[Standing] = Counter()
    for block in blocks(parse_document(edit.path, current, Kind.NOTE)):
        one, span = _sign(block), span_of(block)
        lines = map(bytes.strip, current[span.start : span.end].split(b"\n"))
        if written.isdisjoint(lines) and (one in then or one not in left):
            needed[one] += 1
    return needed <= result


Standing = tuple[Form, str, Provenance | None]


def _standing(path: RelPath, data: bytes) -> Counter[Standing]:
    return Counter(_sign(block) for block in blocks(parse_document(path, data, Kind.NOTE)))


def _sign(block: Block) -> Standing:
    """What must stay the same of an entry; the headings above it may be the operation's."""
    form, _, words, origin = sign(block)
    return form, words, origin
