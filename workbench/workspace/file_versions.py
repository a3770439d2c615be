"""Every version of every memory file that the repository still holds, each text once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.memory.names import BlobId, CommitId, RelPath
from workbench.repository.commits import Commit
from workbench.repository.history import History


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text of a file, and the oldest commit found that has it."""

    commit: CommitId
    path: RelPath
    blob: BlobId


def every_commit(history: History) -> Iterator[Commit]:
    """The commits that any branch, tag, stash or remote reaches, oldest first.

    Raises RepositoryStateError.
    """
    for name in history.everything():
        yield history.commit(name)


def every_version(
    history: History, commit: Commit, holds: Callable[[str], bool], seen: set[str]
) -> Iterator[StoredText]:
    """The texts of memory files that came with ``commit``.

    ``seen`` holds what was met before, folders by their place, and grows: what a commit shares with another
    one is not looked at again.
    """
    for path, blob in history.files(commit, seen):
        if blob not in seen and holds(path):
            seen.add(blob)
            yield StoredText(commit.id, path, blob)
