"""The demo workspace, made once for all pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.following import make_demo


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo workspace with its index; pages get copies."""
    return make_demo(tmp_path_factory.mktemp("demo"))
