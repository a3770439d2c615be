"""What a search does before it answers, where nobody watches the files: index by keywords what changed.

Only where that is little and nobody else is at it; otherwise the answer says what it may lack. The interface,
which watches the files, and reports never do this.
"""

from __future__ import annotations

import os

from indexing.sync.freshness import Freshness, freshness
from indexing.sync.report import OnProgress
from workbench.config.read_only import VARIABLE
from workbench.errors import BusyError, IndexUnavailableError, ReadOnlyError, WorkbenchError
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.locks import held
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

MOST_FILES = 20


def catch_up(workspace: Workspace, progress: OnProgress = None) -> str | None:
    """Index by keywords what changed in ``workspace``; what an answer may lack all the same, or None.

    A workspace that was never indexed is indexed for keyword search, however large; ``progress`` is called
    during that first index only. At most MOST_FILES changed files are indexed, none while another sync runs,
    none where the index would have to be built anew, and none where this program was started to look only.
    Never waits for anybody.

    Raises IndexUnavailableError where there is no index and none can be made.
    """
    if isinstance(workspace, PastWorkspace):
        return None
    found = freshness(workspace)
    if found.state == "missing":
        _first_index(workspace, progress)
        return None
    why = ""
    if found.state == "stale" and _is_little(workspace, found):
        from indexing.sync.run import reindex  # noqa: PLC0415 - not where nothing changed

        try:
            reindex(workspace, vectors=False, rebuild=False)
        except WorkbenchError as error:
            why = f" ({error.message})"
        else:
            found = freshness(workspace)
    if found.state != "stale":
        return found.behind
    return f"{found.behind}{why}; run `workbench reindex`"


def _is_little(workspace: Workspace, found: Freshness) -> bool:
    """Whether what changed can be indexed now, and at once."""
    changed = found.added + found.changed + found.removed
    if os.environ.get(VARIABLE) or found.interrupted or not 0 < changed <= MOST_FILES:
        return False
    try:
        lock = held(workspace.root / STATE_DIR / "index.lock")
    except OSError:
        return False  # another user's
    return lock is None or not lock.held


def _first_index(workspace: Workspace, progress: OnProgress) -> None:
    if os.environ.get(VARIABLE):
        raise IndexUnavailableError(
            "there is no index yet, and none is made in read-only mode",
            hint="run `workbench reindex` where WORKBENCH_READ_ONLY is not set",
        )
    from indexing.sync.run import reindex  # noqa: PLC0415 - only the first search of a workspace needs it

    try:
        reindex(workspace, vectors=False, progress=progress)
    except BusyError as error:
        raise IndexUnavailableError(
            f"there is no index yet: it is being built ({error.message})",
            hint="search again when it has finished; `workbench status` tells when",
        ) from error
    except ReadOnlyError as error:
        raise IndexUnavailableError(
            f"there is no index yet, and none can be written: {error.message}",
            hint="make .workbench writable, then run `workbench reindex`",
        ) from error
