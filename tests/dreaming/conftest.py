"""A memory with days behind it, and the real model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dreaming.nights import Nights
from tests.indexing.conftest import model_cache, real_model

__all__ = ["model_cache", "real_model"]


@pytest.fixture
def nights(tmp_path: Path) -> Iterator[Nights]:
    """An empty memory."""
    made = Nights(tmp_path / "workspace")
    yield made
    made.sandbox.close()
