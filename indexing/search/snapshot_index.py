"""Searching memory as it was: which moment is meant, whether its index is there, and what day it was then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from indexing.query.dates import period
from indexing.sync.freshness import freshness
from workbench.plural import plural
from workbench.repository.commits import Commit
from workbench.workspace.revisions import commit_at
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace


def moment_named(text: str, today: date) -> str:
    """``text`` as ``commit_at`` and ``open_past`` take it: of days in words the last one, ``2026-03-31``."""
    found = period(text, today)
    return found.last.isoformat() if found else text


def commit_named(workspace: Workspace, text: str, today: date) -> Commit:
    """The commit that holds the memory of the moment ``text``. Raises what ``commit_at`` raises."""
    return commit_at(workspace.history, moment_named(text, today))


def missing_index(place: PastWorkspace, *, vectors: bool) -> str | None:
    """What a reindex of a moment would do, in words; None where its index is complete.

    Nobody else ever indexes the past, so whoever searches it has to.
    """
    found = freshness(place)
    if found.state != "fresh":
        return f"indexing {plural(found.files or found.added, 'file')} as they were on {place.moment}"
    if vectors and found.pending:
        return f"{plural(found.pending, 'entry')} as they were on {place.moment} have no vectors yet"
    return None


def last_day(place: Workspace) -> Callable[[], date]:
    """The day from which the age of entries counts: the moment's own, for a workspace in the past."""
    if not isinstance(place, PastWorkspace):
        return date.today
    day = place.history.commit(place.commit).when.astimezone().date()
    return lambda: day
