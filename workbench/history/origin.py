"""Who says so: the one place that tells who brought an entry, when, in which session and from what source.

Three things speak of an entry: its own ``wb:`` comment, its file's front matter, and the commit that
brought its line. The commit decides who: everybody can write ``by=human`` into a file, but only our
operations carry trailers. Without a source the trust is unknown, which counts as untrusted.

What a commit says of who did what: ours by its trailers, anybody else's by its author's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.memory.names import CommitId, OperationId
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import least_trusted, parse_day
from workbench.memory.session_blocks import SessionBlock, session_blocks, session_of
from workbench.repository.objects import Commit
from workbench.workspace.plan import Operation

ACTORS = ("human", "agent", "external", "dreaming")
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """One commit as far as memory is concerned, or what stands on disk and in no commit yet.

    ``operation`` is None for the latter. ``actor`` is what the commit says: the actor of an operation, the
    author of a plain commit. ``who`` is what that proves: a plain commit's author proves nothing, so it
    is ``external``. ``ours`` says whether the commit records an operation of the workbench. ``cut_off``:
    a shallow clone ends here, so what this commit seems to have brought may be older.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an entry comes from.

    ``who`` is human, agent, external, dreaming or unknown; ``trust`` owner, agent, external or unknown.
    ``when`` is the day it speaks of or was written; ``source`` is ``path#L12`` or the like.
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
    if deed is not None:
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
    if deed is not None and not deed.ours:
        levels.append(deed.who)  # external, or unknown while no commit has it
    return least_trusted(*levels)


def _when(entry: Entry, deed: Attribution | None) -> date | None:
    by_comment = parse_day(entry.field("occurred_at")) or parse_day(entry.field("at"))
    if by_comment or entry.date:
        return by_comment or entry.date
    return deed.when.astimezone().date() if deed and deed.when else None
