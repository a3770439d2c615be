"""Hits as rows: strength, kind, day, the words around the match."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from screens.loading.workspace_model import Promoted
from screens.search.hits import bar, hit_rows, match_pattern, moment_shown
from workbench.agent.search_update import FoundHit, SearchUpdate


def hit(snippet: str, *, entry: str = "memory/a.md#1", score: float = 1.0) -> FoundHit:
    return FoundHit(entry, "memory/a.md", 3, "log", "2026-03-14", snippet, score)


def emphasised(query: str, snippet: str) -> list[str]:
    (row,) = hit_rows(SearchUpdate(query, (hit(snippet),), "keyword"), compact=False)
    return [row.text[start:end] for start, end, _ in row.emphasis]


@pytest.mark.parametrize(
    ("query", "snippet", "words"),
    [
        ("prefers", "She prefers tea; her preferences", ["prefers", "preferences"]),
        ("atlas kind:log", "Atlas is a kind of project", ["Atlas"]),
        ("議事", "会議の議事録", ["議事"]),
        ("8443", "port 8443", ["8443"]),
        ("[/ .*", "nothing [/ here", []),
        ("who is on call", "He is only on call once", ["call"]),
        ("no tea ever", "tea, team and teapot", ["tea"]),
        ("with tea", "tea, team and teapot", ["tea", "team", "teapot"]),
        ("who is", "who is it", ["who", "is"]),
        ("tea -milk from:sam", "tea, milk from sam", ["tea"]),
        ('tea -"on hold" from:"big sam"', "tea on hold, big sam", ["tea"]),
    ],
)
def test_matches_are_brought_out(query: str, snippet: str, words: list[str]) -> None:
    assert emphasised(query, snippet) == words


def test_a_late_match_is_brought_into_view() -> None:
    (row,) = hit_rows(SearchUpdate("needle", (hit("x " * 200 + "needle"),), "keyword"), compact=False)
    assert row.text.index("needle") < 40


@pytest.mark.parametrize("cut", range(60, 90))
def test_what_is_shown_never_begins_within_a_word(cut: int) -> None:
    words = "antidisestablishmentarianism " * 3 + "x" * (cut - 87 if cut > 87 else 1)
    (row,) = hit_rows(
        SearchUpdate("needle", (hit(f"{words} {'y' * (cut % 30)} needle"),), "keyword"), compact=False
    )
    assert "needle" in row.text
    assert row.text.removeprefix("… ").split(" ")[0] in f"{words} {'y' * (cut % 30)} needle".split(" ")


def test_a_long_address_is_shown_from_its_beginning() -> None:
    address = "https://example.org/blog/small-brokers"
    (row,) = hit_rows(
        SearchUpdate(
            "broker", (hit(f"Sources: https://example.org/papers/queues-that-lie and {address}"),), "words"
        ),
        compact=False,
    )
    assert row.text == f"… {address}"


def test_text_without_blanks_is_still_brought_into_view() -> None:
    (row,) = hit_rows(SearchUpdate("議事", (hit("会" * 200 + "議事録"),), "keyword"), compact=False)
    assert "議事" in row.text[:60]


def test_the_bar_shows_the_share_of_the_best_possible_score() -> None:
    rows = hit_rows(SearchUpdate("a", (hit("a", score=2.0), hit("a", score=0.5)), "keyword"), compact=False)
    assert [row.lead[0].text for row in rows] == ["━━━━", "━╌╌╌"]
    (poor,) = hit_rows(SearchUpdate("a", (hit("a", score=0.3),), "hybrid"), compact=False)
    assert poor.lead[0].text == "━╌╌╌"


@pytest.mark.parametrize(
    ("share", "drawn"),
    [(0.0, "╌╌╌╌"), (0.01, "╸╌╌╌"), (0.5, "━━╌╌"), (0.6, "━━╸╌"), (1.0, "━━━━"), (7.0, "━━━━")],
)
def test_a_bar_has_half_steps_and_ends(share: float, drawn: str) -> None:
    assert bar(share, 4) == drawn


def test_conditions_alone_have_no_bars() -> None:
    (row,) = hit_rows(SearchUpdate("kind:log", (hit("a"),), "keyword"), compact=False, unscored=True)
    assert "━" not in "".join(part.text for part in row.lead)


def test_a_hit_that_is_in_long_term_memory_already_is_marked_and_done() -> None:
    promoted = Promoted(hashes=frozenset({"0123456789ab"}))
    one, other = hit_rows(
        SearchUpdate("a", (hit("a", entry="memory/a.md#0123456789ab"), hit("b")), "keyword"),
        compact=False,
        promoted=promoted,
    )
    assert (one.done, other.done) == (True, False)
    assert "✓" in one.tail[-1].text


def test_a_hit_that_says_the_same_as_one_above_names_it() -> None:
    rows = hit_rows(
        SearchUpdate(
            "a", (hit("a", entry="MEMORY.md#1234"), hit("a", entry="memory/a.md#1234~2")), "keyword"
        ),
        compact=False,
    )
    assert "= hit 1" in str(rows[1].tail)
    assert "= hit" not in str(rows[0].tail)


def test_a_hit_outside_is_named_by_the_end_of_its_path() -> None:
    outside = FoundHit(
        "/home/a/sessions/s91.jsonl#1", "/home/a/sessions/s91.jsonl", 14, "transcript", "", "a", 1.0
    )
    (row,) = hit_rows(SearchUpdate("a", (outside,), "keyword"), compact=False)
    assert row.tail[-1].text == "↗ sessions/s91.jsonl:14"


def test_a_hit_of_the_past_knows_when_and_where_it_is_read() -> None:
    answer = {
        "query": "a",
        "mode": "lexical",
        "hits": [],
        "moment": {"when": "2026-03-14 10:00 (1a2b3c4d5e6f)", "commit": "1a", "root": "/there"},
    }
    found = msgspec.convert(answer, SearchUpdate)
    assert found.moment is not None
    assert (moment_shown(found.moment), found.moment.root) == ("2026-03-14 10:00", "/there")
    (row,) = hit_rows(replace(found, hits=(hit("a"),)), compact=False)
    assert (row.past, row.root, row.done) == ("2026-03-14 10:00", "/there", False)


def test_narrow_lists_leave_out_day_and_place() -> None:
    (wide,) = hit_rows(SearchUpdate("a", (hit("a"),), "keyword"), compact=False)
    (narrow,) = hit_rows(SearchUpdate("a", (hit("a"),), "keyword"), compact=True)
    assert "2026-03-14" in str(wide.lead)
    assert "2026-03-14" not in str(narrow.lead)
    assert narrow.tail == ()


def test_an_answer_without_hits_is_no_answer() -> None:
    with pytest.raises(ValueError, match="hits"):
        msgspec.convert({"hits": None, "query": "a", "mode": "lexical"}, SearchUpdate)


def test_no_words_no_pattern() -> None:
    assert match_pattern("- ( ?") is None
