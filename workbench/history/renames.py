"""The operations on a file, also from when it had another name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.history.lineage import Links
from workbench.history.versions import Versions
from workbench.memory.names import CommitId, RelPath
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileStep:
    """An operation on the file that is called ``path`` after it; ``renamed_from`` where that name is new."""

    operation: Operation
    path: RelPath | None = None
    renamed_from: RelPath | None = None


def file_log(workspace: Workspace, path: str) -> Iterator[FileStep]:
    """The operations that changed a file, newest first, followed back over its renames.

    A commit renames a file where one file goes and another one comes with the same bytes, or with more
    than 60 % of its lines (``text_similarity``). Git's own detection is not asked: it can be configured.
    """
    links = Links(Versions(workspace))
    place: dict[CommitId, int] = {}
    since: int | None = None
    name: RelPath | None = RelPath(path)
    while name is not None:
        older: RelPath | None = None
        for operation in workspace.operations.walk(path=name):
            if since is not None and place.get(operation.commit, -1) <= since:
                continue  # what was done under this name after it had passed on
            older = links.renamed_from(workspace.history.commit(operation.commit), name)
            yield FileStep(operation, name, older)
            if older is not None:
                place = place or {commit: n for n, commit in enumerate(workspace.history.order())}
                since = place.get(operation.commit, -1)
                break
        name = older
