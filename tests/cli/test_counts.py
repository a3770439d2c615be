"""One of a thing is told in the singular."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.plural import plural


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (1, "write", "1 write"), (0, "write", "0 writes"), (2, "entry", "2 entries"), (1, "entry", "1 entry"),
        (1_200, "day", "1,200 days"), (3, "memory", "3 memories"),
    ],
)  # fmt: skip
def test_a_number_agrees_with_its_noun(number: int, noun: str, said: str) -> None:
    assert plural(number, noun) == said


def test_one_line_is_one_line(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- one\n")
    assert "has 1 line, so there is no line 9" in run("get", "MEMORY.md", "--from", "9").err
