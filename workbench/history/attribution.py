"""What a commit says of who did what: ours by its trailers, anybody else's by its author's word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from workbench.memory.names import CommitId, OperationId
from workbench.repository.commits import Commit
from workbench.workspace.plan import Operation

ACTORS = ("human", "agent", "external", "dreaming")
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
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
    """What an operation proves about who did it, as ``Deed.who``."""
    if operation.action == "commit":
        return "external"
    return operation.actor if operation.actor in ACTORS else UNKNOWN


UNRECORDED = Deed()
"""Text on disk that no commit holds."""


def deed_of(commit: Commit) -> Deed:
    """What ``commit`` says of itself."""
    plain = Deed(
        operation=OperationId(commit.operation),
        commit=commit.id,
        action="merge" if len(commit.parents) > 1 else "commit",
        summary=commit.subject,
        actor=commit.author or UNKNOWN,
        who="external",
        when=commit.when,
        cut_off=commit.cut_off,
    )
    if not commit.trailer("Operation"):
        return plain
    actor = commit.trailer("Actor") or "human"
    return replace(
        plain,
        action=commit.trailer("Action") or "commit",
        actor=actor,
        who=actor if actor in ACTORS else UNKNOWN,
        session=commit.trailer("Session"),
        source=commit.trailer("Source"),
        reason=commit.trailer("Reason") or "",
        ours=True,
        entries=commit.trailers_of("Entry"),
        became=commit.trailers_of("Became"),
    )
