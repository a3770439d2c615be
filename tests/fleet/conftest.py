"""The real model, prepared once for all tests of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.embedding.select import open_embedder


@pytest.fixture(scope="session")
def own_model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which the default model is prepared; the tests of the index share it."""
    base = tmp_path_factory.getbasetemp()
    cache = (base.parent if base.name.startswith("popen-") else base) / "model-cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_CACHE", str(cache))
        open_embedder()
    return cache
