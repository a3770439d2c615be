"""What became of sources, in words."""

from __future__ import annotations

import pytest

from workbench.ingest.outcomes import unreadable


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ((), ""),
        ((4,), "1 line cannot be read: s.jsonl:4"),
        ((4, 9), "2 lines cannot be read: s.jsonl:4, s.jsonl:9"),
        ((1, 2, 3), "3 lines cannot be read: s.jsonl:1, s.jsonl:2, …"),
    ],
)
def test_lines_that_cannot_be_read_are_counted_and_the_first_are_named(
    bad: tuple[int, ...], said: str
) -> None:
    assert unreadable("s.jsonl", bad, named=2) == said
