"""Hits as rows: strength, kind, day, the words around the match."""

from __future__ import annotations

import pytest

from screens.hits import Found, FoundHit, found_in, hit_rows, match_pattern


def hit(snippet: str, *, entry: str = "memory/a.md#1", score: float = 1.0) -> FoundHit:
    return FoundHit(entry, "memory/a.md", 3, "log", "2026-03-14", snippet, score)


def emphasised(query: str, snippet: str) -> list[str]:
    (row,) = hit_rows(Found(query, (hit(snippet),), "words"), compact=False)
    return [row.text[start:end] for start, end, _ in row.emphasis]


@pytest.mark.parametrize(
    ("query", "snippet", "words"),
    [
        ("prefers", "She prefers tea; her preferences", ["prefers", "preferences"]),
        ("atlas kind:log", "Atlas is a kind of project", ["Atlas"]),
        ("議事", "会議の議事録", ["議事"]),
        ("8443", "port 8443", ["8443"]),
        ("[/ .*", "nothing [/ here", []),
    ],
)
def test_matches_are_brought_out(query: str, snippet: str, words: list[str]) -> None:
    assert emphasised(query, snippet) == words


def test_a_late_match_is_brought_into_view() -> None:
    (row,) = hit_rows(Found("needle", (hit("x " * 200 + "needle"),), "words"), compact=False)
    assert row.text.index("needle") < 40


def test_the_bar_shows_strength_relative_to_the_best() -> None:
    rows = hit_rows(Found("a", (hit("a", score=2.0), hit("a", score=0.5)), "words"), compact=False)
    assert [row.lead[0].text for row in rows] == ["━━━━", "━╌╌╌"]


def test_narrow_lists_leave_out_day_and_place() -> None:
    (wide,) = hit_rows(Found("a", (hit("a"),), "words"), compact=False)
    (narrow,) = hit_rows(Found("a", (hit("a"),), "words"), compact=True)
    assert "2026-03-14" in str(wide.lead)
    assert "2026-03-14" not in str(narrow.lead)
    assert narrow.tail == ()


def test_an_answer_without_hits_is_no_answer() -> None:
    with pytest.raises((KeyError, TypeError)):
        found_in({"hits": None})


def test_no_words_no_pattern() -> None:
    assert match_pattern("- ( ?") is None
