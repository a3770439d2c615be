"""The line of first parents with its moments: the history as its branch saw it, in one call of git."""

from __future__ import annotations

from datetime import UTC, datetime

from workbench.memory.names import CommitId
from workbench.repository.git_runner import ask
from workbench.repository.history import History

_LATEST_SECOND = 253_402_300_799  # the end of the year 9999


def main_line(history: History, most: int) -> list[tuple[CommitId, datetime]]:
    """The newest ``most`` commits on HEAD's line of first parents, each with its moment, newest first.

    Nothing but their headers is read. Raises RepositoryStateError.
    """
    head = history.head()
    if head is None:
        return []
    wanted = ("--first-parent", "--timestamp", f"--max-count={most}", head, "--")
    out = ask(history.carrier, "rev_list", *wanted)
    return [_moment(*line.split()[:2]) for line in out.decode("ascii", "replace").splitlines() if line]


def _moment(seconds: str, commit: str) -> tuple[CommitId, datetime]:
    try:
        at = min(max(int(seconds), 0), _LATEST_SECOND)
    except ValueError:  # a moment that is none
        at = 0
    return CommitId(commit), datetime.fromtimestamp(at, UTC)
