"""Vectors of texts that were computed for the index: read from its cache, without model and engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.sync.known_vectors import open_known
from workbench.workspace.workspace import Workspace


def text_vectors(workspace: Workspace, texts: Sequence[str]) -> dict[str, NDArray[np.float32]] | None:
    """The (d,) vectors of those of ``texts`` that are known, by text; None where there are none at all."""
    known = open_known(workspace)
    if known is None:
        return None
    try:
        return known.of(texts)
    finally:
        known.close()
