"""The local model as commands use it: opened late, and no text embedded twice in a row."""

from __future__ import annotations

import numpy as np
import pytest

from indexing.embedding import local as local_model
from tests.support.hashing import HashingEmbedder


def test_a_text_is_embedded_once_and_each_row_is_that_of_its_text() -> None:
    noting = HashingEmbedder()
    lazy = local_model._WhenNeeded(lambda: noting)
    first = lazy.embed(["tea", "rye bread", "tea"])
    first[:] = 0  # what a caller does with its vectors is its own
    again = lazy.embed(["a new one", "tea", "rye bread"])
    assert noting.texts == ["tea", "rye bread", "a new one"]
    assert np.array_equal(again, HashingEmbedder().embed(["a new one", "tea", "rye bread"]))
    assert lazy.embed([]).shape == (0, noting.dimension)


def test_no_more_vectors_are_kept_than_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_model, "_KEPT", 3)
    lazy = local_model._WhenNeeded(HashingEmbedder)
    for number in range(20):
        texts = [f"text {number}", f"text {number + 1}"]
        assert np.array_equal(lazy.embed(texts), HashingEmbedder().embed(texts))
        assert len(lazy._kept) <= 3
