"""Which commit a person means by a moment, and which operations by the words that they look for."""

from __future__ import annotations

import re
from datetime import date, datetime

from workbench.errors import AmbiguousOperationError, OperationNotFoundError, UsageError
from workbench.frozen import frozen
from workbench.repository.git_repository import History
from workbench.repository.objects import Commit
from workbench.workspace.plan import Operation

# -- the commit of a moment: an operation, a commit, or a day ----------------------------------------

SHORTEST_PREFIX = 4
"""Digits of an operation's or commit's id that must be given at least."""
_DIGITS = re.compile(r"[0-9a-f]*")
_MOMENT = f"give {SHORTEST_PREFIX} or more digits of an operation or commit, or a date: 2026-03-14"
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
        raise UsageError(f"{text} is not a calendar date", hint="write it as 2026-03-14") from None
    line = history.first_parents()
    if not line:
        raise UsageError("this repository has no commits yet, so there is no earlier state")
    if found := next((commit for commit, when in line if local_day(when) <= day), None):
        return history.commit(found)
    oldest = history.commit(line[-1][0])
    begin = local_day(oldest.when)
    raise UsageError(
        f"there is no commit of {text} or before: the known history begins on {begin}",
        hint="git fetch --unshallow fetches the rest of it" if oldest.cut_off else f"choose {begin} or later",
    )


def commit_named(
    history: History, prefix: str, what: str = f"give {SHORTEST_PREFIX} or more digits of the operation"
) -> Commit:
    """The one commit that ``prefix`` begins the name of, or the operation that it records.

    Of several that say they are one operation the oldest counts: newer ones are copies. ``what`` says what is
    too short. Raises OperationNotFoundError or AmbiguousOperationError.
    """
    wanted = prefix.lower()
    if len(wanted) < SHORTEST_PREFIX or not _DIGITS.fullmatch(wanted):
        raise OperationNotFoundError(prefix, what)
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


# -- which operations are looked for -----------------------------------------------------------------
# ``by:agent action:promote path:memory/ on:2026-03 staging -port``

_TERM = re.compile(
    r'(?P<turned>-?)(?:(?P<field>by|action|path|on):)?(?:"(?P<exact>[^"]*)"?|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
_GIT = "git"
"""What people call a plain commit."""


@frozen
class Term:
    """One thing that has to hold of an operation, or not to where it is ``turned``."""

    field: str
    text: str
    turned: bool

    def holds(self, operation: Operation) -> bool:
        """Whether it does."""
        return self._found(operation) is not self.turned

    def _found(self, operation: Operation) -> bool:
        said: tuple[str, ...] = (operation.actor,)
        match self.field:
            case "action":
                plain = operation.action == "commit" and _GIT.startswith(self.text)
                return plain or operation.action.startswith(self.text)
            case "on":
                return local_day(operation.when).isoformat().startswith(self.text)
            case "path":
                said = operation.paths
            case "":
                ids = (operation.id, operation.commit)
                if len(self.text) >= SHORTEST_PREFIX and any(one.startswith(self.text) for one in ids):
                    return True
                said += (operation.action, operation.summary, operation.reason)
                said += (*operation.entries, *operation.paths)
        return any(self.text in one.casefold() for one in said)


@frozen
class RevisionQuery:
    """What was typed: ``text`` as it is, ``terms`` as it is meant; all of them have to hold."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    def holds(self, operation: Operation) -> bool:
        """Whether this is one of those."""
        return all(term.holds(operation) for term in self.terms)


def wanted(text: str) -> RevisionQuery:
    """What ``text`` asks for. Any text is a filter: an unknown field is a word."""
    terms = []
    for found in _TERM.finditer(text):
        if said := (found["exact"] or found["word"] or "").casefold():
            terms.append(Term((found["field"] or "").lower(), said, bool(found["turned"])))
    return RevisionQuery(text.strip(), tuple(terms))
