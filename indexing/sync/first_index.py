"""The first index of a workspace, by keywords alone, made when somebody searches before any reindex."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from indexing.sync.report import OnProgress
from workbench.config.read_only import VARIABLE
from workbench.errors import BusyError, IndexUnavailableError, ReadOnlyError
from workbench.workspace.workspace import Workspace

FirstIndex = Callable[[], None]
"""Indexes one workspace by keywords. Raises IndexUnavailableError saying what is missing."""


def first_index(workspace: Workspace, progress: OnProgress = None) -> FirstIndex:
    """What a search calls where ``workspace`` was never indexed; nothing is done before that."""
    return partial(_build, workspace, progress)


def _build(workspace: Workspace, progress: OnProgress) -> None:
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
