"""What SECURITY.md claims to be shown by a test is shown by one that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (PROJECT / "SECURITY.md").read_text())


def test_the_paper_names_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_every_test_that_the_paper_names_exists(file: str, name: str) -> None:
    text = (PROJECT / file).read_text()
    assert re.search(rf"^(?:async )?def {name or 'test_'}", text, re.MULTILINE)
