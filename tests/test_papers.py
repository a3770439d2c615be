"""What the papers claim to be shown by a test is shown by one that exists."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
PAPERS = ("docs/security-tests.md",)
NAMED = sorted(
    {
        (paper, file, name)
        for paper in PAPERS
        for file, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (PROJECT / paper).read_text())
    }
)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_paper_names_tests(paper: str) -> None:
    assert sum(named == paper for named, _, _ in NAMED) > 20


@pytest.mark.parametrize(("paper", "file", "name"), NAMED)
def test_every_test_that_a_paper_names_exists(paper: str, file: str, name: str) -> None:
    text = (PROJECT / file).read_text()
    assert re.search(
        rf"^(?:async )?def {name}\b" if name else r"^(?:(?:async )?def test_|Test\w+ = )", text, re.MULTILINE
    ), paper


def test_the_page_of_faults_says_what_the_tests_are_marked_with() -> None:
    made = runpy.run_path(str(PROJECT / "docs" / "make_faults.py"))["page"]()
    assert (PROJECT / "docs" / "faults.md").read_text() == made, "run python docs/make_faults.py"
    assert made.count("`tests/") > 400
