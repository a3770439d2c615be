"""Which commit a person means by a moment: an operation, a commit, or a day."""

from __future__ import annotations

import re
from datetime import date, datetime

from workbench.errors import AmbiguousOperationError, OperationNotFoundError, UsageError
from workbench.repository.commits import Commit
from workbench.repository.history import History

SHORTEST_PREFIX = 4
"""Digits of an operation's or commit's id that must be given at least."""
_DIGITS = re.compile(r"[0-9a-f]*")
_MOMENT = "a moment is {} or more digits of an operation or commit, or a day: 2026-03-14"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def commit_at(history: History, moment: str) -> Commit:
    """The commit that holds the workspace as it was at ``moment``.

    An operation or commit, named by its id or the first digits of it, means the workspace right after it.
    A day (``2026-03-14``) means its end, by the clock of this machine: the newest commit on the line of first
    parents that is not later. Raises UsageError, OperationNotFoundError or AmbiguousOperationError.
    """
    wanted = moment.strip().lower()
    return _on_day(history, wanted) if _DAY.fullmatch(wanted) else commit_named(history, wanted, _MOMENT)


def _on_day(history: History, text: str) -> Commit:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text} is no day of the calendar", hint="write it as 2026-03-14") from None
    line = history.first_parents()
    if not line:
        raise UsageError("this repository has no commits yet, so there is no earlier state")
    if found := next((commit for commit, when in line if local_day(when) <= day), None):
        return history.commit(found)
    oldest = history.commit(line[-1][0])
    begin = local_day(oldest.when)
    raise UsageError(
        f"there is no commit of {text} or before: what is known of the history begins on {begin}",
        hint="git fetch --unshallow brings the rest of it" if oldest.cut_off else f"choose {begin} or later",
    )


def commit_named(
    history: History, prefix: str, what: str = "an operation is named by {} or more of its digits"
) -> Commit:
    """The one commit that ``prefix`` begins the name of, or the operation that it records.

    Of several that say they are one operation the oldest counts: newer ones are copies. ``what`` says what is
    too short. Raises OperationNotFoundError or AmbiguousOperationError.
    """
    wanted = prefix.lower()
    if len(wanted) < SHORTEST_PREFIX or not _DIGITS.fullmatch(wanted):
        raise OperationNotFoundError(prefix, what.format(SHORTEST_PREFIX))
    found = {commit.operation: commit for commit in history.named(wanted)}
    if not found:
        raise OperationNotFoundError(prefix)
    if len(found) > 1:
        raise AmbiguousOperationError(prefix, [f"{name} ({c.subject})" for name, c in found.items()])
    return next(iter(found.values()))


def local_day(when: datetime) -> date:
    """The day of a moment by the clock of this machine."""
    try:
        return when.astimezone().date()
    except OverflowError:  # the last hours of the year 9999
        return date.max
