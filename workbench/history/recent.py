"""What was written since a moment, entry by entry: by whom, in which commit, from which session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from workbench.errors import NotMemoryError
from workbench.history.blame import line_deeds, newest
from workbench.history.origin import origin_of
from workbench.memory.entry import Entry, Form
from workbench.memory.markdown import Document
from workbench.memory.names import CommitId, OperationId, RelPath
from workbench.memory.session_blocks import is_session_field, session_blocks
from workbench.safety.hidden_text import hidden_in
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace

_NANOSECONDS = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentEntry:
    """An entry that stands in memory and has a line that was written lately.

    ``when`` is the moment of the youngest of its lines: of the commit, else of the file.
    ``who`` and ``actor`` are as in ``Deed``; ``operation`` is what `undo` takes, None before a commit.
    """

    entry: str
    path: str
    line: int
    title: str
    when: datetime
    who: str
    actor: str
    action: str
    operation: OperationId | None
    commit: CommitId | None
    session: str | None


def recent_entries(workspace: Workspace, since: datetime) -> list[RecentEntry]:
    """What was written at or after ``since``, the newest first. Raises what reading the history raises."""
    found = [
        one
        for file, document in _changed(workspace, since)
        for one in _recent_in(workspace, file, document, since)
    ]
    return sorted(found, key=lambda one: (-one.when.timestamp(), one.path, one.line))


def _changed(workspace: Workspace, since: datetime) -> Iterator[tuple[MemoryFile, Document]]:
    """The files of memory that a commit since then changed, or that differ from the last one."""
    history = workspace.history
    head, committed = history.head(), set[RelPath]()
    for commit in history.commits():
        if commit.when < since:
            break
        committed.update(history.changed_paths(commit))
    for file in workspace.scan():
        touched = file.ctime_ns / _NANOSECONDS >= since.timestamp()
        if not touched and file.path not in committed:
            continue
        try:
            document = workspace.document(file.path)
        except (FileNotFoundError, NotMemoryError):  # removed meanwhile
            continue
        if file.path in committed or history.blob(head, file.path) != document.data:
            yield file, document


def _recent_in(
    workspace: Workspace, file: MemoryFile, document: Document, since: datetime
) -> Iterator[RecentEntry]:
    deeds, sessions = line_deeds(workspace, document), session_blocks(document)
    changed = datetime.fromtimestamp(file.ctime_ns / _NANOSECONDS).astimezone()
    for entry in document.entries:
        if entry.form is Form.HEADING or entry.part > 1 or _says_nothing(entry):
            continue
        deed = newest(workspace, deeds, entry)
        when = deed.when or changed
        if when < since:
            continue
        origin = origin_of(document, entry, deed, sessions=sessions)
        yield RecentEntry(
            entry=entry.address,
            path=document.path,
            line=entry.start_line,
            title=entry.plain_title,
            when=when,
            who=deed.who,
            actor=deed.actor,
            action=deed.action,
            operation=deed.operation,
            commit=deed.commit,
            session=origin.session,
        )


def _says_nothing(entry: Entry) -> bool:
    """Whether it only tells programs where a part of a file begins, or of which session it is."""
    is_marker = entry.text.startswith("<!--") and entry.text.endswith("-->") and not hidden_in(entry.text)
    return is_marker or is_session_field(entry)
