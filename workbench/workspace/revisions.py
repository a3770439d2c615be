"""Which commit a person means by a moment: an operation, a commit, or a day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

from workbench.errors import AmbiguousOperationError, OperationNotFoundError, UsageError
from workbench.memory.names import CommitId
from workbench.repository.commits import Commit
from workbench.repository.history import History

SHORTEST_PREFIX = 4
"""Digits of an operation's or commit's id that must be given at least."""
_DIGITS = re.compile(r"[0-9a-f]*")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def commit_at(history: History, moment: str) -> Commit:
    """The commit that holds the workspace as it was at ``moment``.

    An operation or commit, named by its id or the first digits of it, means the workspace right after it.
    A day (``2026-03-14``) means its end, by the clock of this machine: the newest commit on the line of first
    parents that is not later. Raises UsageError, OperationNotFoundError or AmbiguousOperationError.
    """
    wanted = moment.strip().lower()
    return _on_day(history, wanted) if _DAY.fullmatch(wanted) else _named(history, wanted)


def _on_day(history: History, text: str) -> Commit:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text} is no day of the calendar", hint="write it as 2026-03-14") from None
    oldest: Commit | None = None
    for oldest in _first_parents(history):
        if local_day(oldest.when) <= day:
            return oldest
    if oldest is None:
        raise UsageError("this repository has no commits yet, so there is no earlier state")
    begin = local_day(oldest.when)
    raise UsageError(
        f"there is no commit of {text} or before: what is known of the history begins on {begin}",
        hint="git fetch --unshallow brings the rest of it" if oldest.cut_off else f"choose {begin} or later",
    )


def _named(history: History, wanted: str) -> Commit:
    if len(wanted) < SHORTEST_PREFIX or not _DIGITS.fullmatch(wanted):
        raise OperationNotFoundError(
            wanted,
            f"a moment is {SHORTEST_PREFIX} or more digits of an operation or commit, or a day: 2026-03-14",
        )
    found: dict[str, Commit] = {}
    for commit in history.commits():
        operation = commit.trailer("Operation") or commit.id[:12]
        if wanted in (operation, commit.id):
            return commit
        if operation.startswith(wanted) or commit.id.startswith(wanted):
            found.setdefault(operation, commit)
    if not found:
        raise OperationNotFoundError(wanted)
    if len(found) > 1:
        raise AmbiguousOperationError(wanted, [f"{name} ({c.subject})" for name, c in found.items()])
    return next(iter(found.values()))


def _first_parents(history: History) -> Iterator[Commit]:
    """HEAD and what it was built on, newest first, as its branch saw it."""
    name: CommitId | None = history.head()
    while name:
        commit = history.commit(name)
        yield commit
        name = commit.parents[0] if commit.parents else None


def local_day(when: datetime) -> date:
    """The day of a moment by the clock of this machine."""
    try:
        return when.astimezone().date()
    except OverflowError:  # the last hours of the year 9999
        return date.max
