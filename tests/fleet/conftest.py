"""The real model, prepared once for all tests of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.embedding.local import open_embedder
from tests.conftest import shared_cache


@pytest.fixture(scope="session")
def own_model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which the default model is prepared; the tests of the index share it."""
    cache = shared_cache(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_CACHE", str(cache))
        open_embedder()
    return cache
