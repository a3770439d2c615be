"""Bringing a memory that older programs wrote to the format of this one, as one operation.

Format 0 is what the first versions wrote: each of our comments behind the words that it speaks of. Format 1
puts it where other programs do not take it for words (``memory.edit``). Both are read; the number says
that nothing is left to be changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.format_version import FORMAT, KEY
from workbench.memory.edit import with_comments_in_place
from workbench.memory.entry import Kind, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import parse_document
from workbench.operations.edit_settings import changed_bytes
from workbench.plural import plural
from workbench.workspace.declared_format import format_of, require_known_format
from workbench.workspace.layout import SET_ASIDE, SETTINGS_FILE, scan
from workbench.workspace.plan import Plan
from workbench.workspace.short_marks import shortened_edit
from workbench.workspace.workspace import Workspace

_COMMENT = b"<!-- wb:"
_OURS = ("episodes/", "graph/", "_system/")


def plan_migrate(workspace: Workspace) -> Plan | None:
    """The operation that brings the memory to ``FORMAT``; None where there is nothing to bring.

    That is so where the memory has the format and nothing of an older form, or holds nothing that a workbench
    wrote: such a memory needs no number. Raises NewerFormatError, UsageError.
    """
    require_known_format(workspace.root)
    found = format_of(workspace.root)
    edits = tuple(_rewritten(workspace))
    files = f"{plural(len(edits), 'file')} rewritten" if edits else "nothing to rewrite"
    if found == FORMAT:  # an undo or a restore may have brought an older form back
        return Plan(action="migrate", summary=f"format {FORMAT}, {files}", edits=edits) if edits else None
    is_plain = not edits and not any(file.path.startswith(_OURS) for file in workspace.scan())
    if is_plain and next(_commented(workspace), None) is None:
        return None
    settings = RelPath(SETTINGS_FILE)
    before = workspace.files.read_or_none(settings)
    numbered = changed_bytes(workspace.root / SETTINGS_FILE, before, KEY, str(FORMAT))
    return Plan(
        action="migrate",
        summary=f"format {found} to {FORMAT}, {files}",
        edits=(*edits, FileEdit(settings, before, numbered)),
    )


def plan_move_ledger(workspace: Workspace) -> Plan | None:
    """The operation that moves what version 0.1 recorded into the ledger; None where there is nothing.

    Its files ``_system/ledger/*.jsonl`` go, but for those that git ignores, and the long comments in curated
    memory become short marks. Comments that somebody else wrote are not touched.
    """
    files = workspace.ledger.old_files()
    records = list(workspace.ledger.old_records(files))
    kept = workspace.history.ignored(files)
    edits = [
        FileEdit(path, data, None, workspace.files.mode(path))
        for path, data in files.items()
        if path not in kept
    ]
    memory = workspace.memory_document()
    edit, details = shortened_edit(
        FileEdit(memory.path, memory.data, memory.data), workspace.marks(), Kind.MEMORY, every=True
    )
    if edit.after != edit.before:
        edits.append(edit)
        records += details
    if not edits and not records:
        return None
    return Plan(
        action="migrate",
        summary=f"{plural(len(records), 'record')} moved into the ledger",
        edits=tuple(edits),
        records=tuple(records),
    )


def files_of_older_form(workspace: Workspace) -> tuple[RelPath, ...]:
    """The files in which a migration would change something."""
    return tuple(edit.path for edit in _rewritten(workspace))


def _rewritten(workspace: Workspace) -> Iterator[FileEdit]:
    for path, data in _commented(workspace):
        after = with_comments_in_place(parse_document(path, data, workspace.layout.kind_of(path)))
        if after != data:
            yield FileEdit(path, data, after)


def _commented(workspace: Workspace) -> Iterator[tuple[RelPath, bytes]]:
    """The files that hold comments of ours, what is set aside among them."""
    for file in (*workspace.scan(), *scan(workspace.root, SET_ASIDE)):
        data = workspace.files.read_or_none(file.path)
        if data is not None and _COMMENT in data:
            yield file.path, data
