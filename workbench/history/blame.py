"""Line by line: which operation brought it, who, when, and in which session."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import NotMemoryError
from workbench.history.origin import UNRECORDED, Attribution, Origin, deed_of, origin_of
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document
from workbench.memory.names import CommitId, RelPath
from workbench.memory.origin import OriginReader
from workbench.memory.patch import kept_lines, split_lines
from workbench.memory.session_blocks import session_blocks
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOrigin:
    """One line of a file on disk. ``text`` has no line end; bytes that are not UTF-8 are surrogates.

    ``entry`` and ``origin`` are those of the entry that the line belongs to, if it belongs to one.
    """

    number: int
    text: str
    deed: Attribution
    entry: str | None = None
    origin: Origin | None = None


def blame(workspace: Workspace, path: str, *, at: CommitId | None = None) -> tuple[LineOrigin, ...]:
    """Where each line of the file ``path``, as it is on disk or was in the commit ``at``, comes from.

    Raises NotMemoryError where there is no such file, and what ``workspace.history`` raises.
    """
    document = _document(workspace, path, at)
    deeds = line_deeds(workspace, document, at=at)
    entries = {line: e.address for e in document.entries for line in range(e.start_line, e.end_line + 1)}
    sessions, reader = session_blocks(document), OriginReader(document)
    origins = {
        entry.address: origin_of(
            document, entry, newest(workspace, deeds, entry), sessions=sessions, reader=reader
        )
        for entry in document.entries
    }
    return tuple(
        LineOrigin(
            number=number,
            text=line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "surrogateescape"),
            deed=deed,
            entry=entries.get(number),
            origin=origins.get(entries.get(number, "")),
        )
        for number, (line, deed) in enumerate(zip(split_lines(document.data), deeds, strict=True), 1)
    )


def _document(workspace: Workspace, path: str, at: CommitId | None) -> Document:
    if at is None:
        try:
            return workspace.document(path)
        except FileNotFoundError:
            raise NotMemoryError(path) from None
    data = workspace.history.blob(at, RelPath(path)) if workspace.layout.may_curate(path) else None
    if data is None:
        raise NotMemoryError(path)
    return workspace.parsed(RelPath(path), data)


def line_deeds(workspace: Workspace, document: Document, *, at: CommitId | None = None) -> list[Attribution]:
    """For each line of a file as it was read what brought it; UNRECORDED where no commit has it.

    With ``at`` what had brought it by that commit.
    """
    history = workspace.history
    head, path = at or history.head(), RelPath(document.path)
    recorded = history.blob(head, path)
    if head is None or recorded is None:
        return [UNRECORDED] * len(split_lines(document.data))
    commits = history.line_commits(head, path) if recorded else []
    deeds: dict[CommitId, Attribution] = {name: deed_of(history.commit(name)) for name in set(commits)}
    return [UNRECORDED if at is None else deeds[commits[at]] for at in kept_lines(recorded, document.data)]


def newest(workspace: Workspace, deeds: list[Attribution], entry: Entry) -> Attribution:
    """The latest of those who wrote an entry's lines: the entry is no older than its youngest line.

    Of one second, which is all that a commit tells, it is the one that is built on the others.
    """
    of_entry = deeds[entry.start_line - 1 : entry.end_line] or [UNRECORDED]
    if UNRECORDED in of_entry:
        return UNRECORDED
    moment = max(deed.when for deed in of_entry if deed.when)
    latest = {deed.commit: deed for deed in of_entry if deed.when == moment}
    if len(latest) > 1:
        for commit in workspace.history.order():
            if commit in latest:
                return latest[commit]
    return next(iter(latest.values()))
