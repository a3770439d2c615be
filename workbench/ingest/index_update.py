"""The word index, brought up to date after memory was written by a job."""

from __future__ import annotations

from workbench.errors import BusyError, WorkbenchError, disk_error
from workbench.workspace.workspace import Workspace


def update_index(workspace: Workspace) -> str:
    """Index by words what changed, where there is an index already; why it could not be done, or nothing.

    Vectors follow with the next `reindex`. Somebody who is indexing at this moment sees the same files.
    """
    from indexing.sync.run import reindex  # noqa: PLC0415 - a job loads what it needs

    if not (workspace.cache_dir() / "index" / "current").exists():
        return ""
    try:
        reindex(workspace, vectors=False)
    except BusyError:
        return ""
    except WorkbenchError as error:
        return f"the index is behind: {error.message}"
    except OSError as error:
        return f"the index is behind: {disk_error(error).message}"
    return ""
