"""Where an entry and each line come from: who brought it, when, in which session and from what source.

All answers to "who says so" are given here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from workbench.errors import NotMemoryError
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import Entry, Kind, RelPath
from workbench.memory.episode import SessionBlock, session_blocks, session_of
from workbench.memory.file_edit import kept_lines, split_lines
from workbench.memory.markdown import Document
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import least_trusted, parse_day
from workbench.repository.objects import Commit, CommitId
from workbench.workspace.plan import Operation, OperationId
from workbench.workspace.workspace import Workspace

ACTORS = ("human", "agent", "external", "dreaming", "ingest")
UNKNOWN = "unknown"


@frozen_kw_only
class Attribution:
    """One commit as far as memory is concerned, or what stands on disk and in no commit yet.

    ``operation`` is None for the latter. ``actor`` is what the commit says: the actor of an operation, the
    author of a plain commit. ``who`` is what that proves: a plain commit's author proves nothing, so it is
    ``external``. ``ours`` says whether the commit records an operation of the workbench. ``cut_off``: a
    shallow clone ends here, so what this commit seems to have brought may be older. An operation of ours says
    these things in its trailers, a plain commit by the word of its author.
    """

    operation: OperationId | None = None
    commit: CommitId | None = None
    action: str = "unrecorded"
    summary: str = "not recorded yet"
    actor: str = UNKNOWN
    who: str = UNKNOWN
    when: datetime | None = None
    session: str | None = None
    source: str | None = None
    reason: str = ""
    ours: bool = False
    cut_off: bool = False
    entries: tuple[str, ...] = ()
    became: tuple[str, ...] = ()


def who_did(operation: Operation) -> str:
    """What an operation proves about who did it, as ``Attribution.who``."""
    if operation.action == "commit":
        return "external"
    return operation.actor if operation.actor in ACTORS else UNKNOWN


UNRECORDED = Attribution()
"""Text on disk that no commit holds."""


def deed_of(commit: Commit) -> Attribution:
    """What ``commit`` says of itself."""
    ours = bool(commit.trailer("Operation"))
    said = commit if ours else replace(commit, trailers=())  # what a plain commit says there counts nothing
    actor = said.trailer("Actor") or ("human" if ours else commit.author or UNKNOWN)
    proven = actor if actor in ACTORS else UNKNOWN
    return Attribution(
        operation=OperationId(commit.operation),
        commit=commit.id,
        action=said.trailer("Action") or ("merge" if len(commit.parents) > 1 else "commit"),
        summary=commit.subject,
        actor=actor,
        who=proven if ours else "external",
        when=commit.when,
        session=said.trailer("Session"),
        source=said.trailer("Source"),
        reason=said.trailer("Reason") or "",
        ours=ours,
        cut_off=commit.cut_off,
        entries=said.trailers_of("Entry"),
        became=said.trailers_of("Became"),
    )


@frozen_kw_only
class Origin:
    """Where an entry comes from.

    Three things speak of an entry: its own ``wb:`` comment, its file's front matter, and the commit that
    brought its line. The commit decides who: everybody can write ``by=human`` into a file, but only our
    operations carry trailers. Without a source the trust is unknown, which counts as untrusted. ``who`` is
    one of ``ACTORS`` or unknown; ``trust`` owner, agent, external or unknown. ``when`` is the day it speaks
    of or was written; ``source`` is ``path#L12`` or the like.
    """

    who: str
    trust: str
    when: date | None
    session: str | None
    source: str | None

    @property
    def trusted(self) -> bool:
        """Whether its source is trusted: the owner, or their agent."""
        return self.trust in ("owner", "agent")


def origin_of(
    document: Document,
    entry: Entry,
    deed: Attribution | None = None,
    *,
    sessions: Sequence[SessionBlock] | None = None,
    reader: OriginReader | None = None,
) -> Origin:
    """The origin of an entry of ``document``; ``deed`` is what brought its line, where history was asked.

    ``sessions`` and ``reader`` are the file's, for who asks for many of its entries.
    """
    blocks = session_blocks(document) if sessions is None else sessions
    said, in_file = entry.field, document.header.text
    return Origin(
        who=_who(document, said("by") or in_file("by"), deed),
        trust=log_trust(reader or OriginReader(document), entry)
        if entry.kind is Kind.LOG
        else _trust(said("trust"), in_file("trust"), deed),
        when=_when(entry, deed),
        session=said("session") or (deed and deed.session) or session_of(blocks, entry),
        source=said("src") or in_file("source_id") or in_file("source") or (deed and deed.source) or None,
    )


def _who(document: Document, claimed: str | None, deed: Attribution | None) -> str:
    if deed:
        # An operation of a person may carry an agent's words: the comment that it wrote says whose.
        return claimed if deed.ours and claimed in ACTORS else deed.who
    if document.kind is Kind.DREAM:
        return "dreaming"
    return claimed if claimed in ACTORS and document.kind is not Kind.LOG else UNKNOWN


def _trust(own: str | None, in_file: str | None, deed: Attribution | None) -> str:
    """No line speaks louder than its file or than the commit that brought it."""
    said = own or in_file
    if not said:
        return UNKNOWN
    levels = [said, *([in_file] if in_file else [])]
    if deed and not deed.ours:
        levels.append(deed.who)  # external, or unknown while no commit has it
    return least_trusted(*levels)


def _when(entry: Entry, deed: Attribution | None) -> date | None:
    by_comment = parse_day(entry.field("occurred_at")) or parse_day(entry.field("at"))
    if by_comment or entry.date:
        return by_comment or entry.date
    return deed.when.astimezone().date() if deed and deed.when else None


@frozen_kw_only
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
