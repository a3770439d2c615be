"""A row fills exactly its width, whatever is in it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from screens.drawing.safe_text import TONES, Row, RowPart, row_text, words
from screens.widgets.entry_list import RowStyles, clipped, row_strip

LOOK = RowStyles(Style.null(), Style.null(), {tone: Style.null() for tone in TONES})


def drawn(row: Row, width: int) -> str:
    return row_strip(row, width, LOOK, cursor=False, marked=False).text


@given(st.text(max_size=80), st.text(max_size=20), st.integers(8, 120), st.integers(0, 3))
def test_every_row_is_exactly_as_wide_as_its_list(text: str, tail: str, width: int, depth: int) -> None:
    row = Row("x", row_text(text), depth=depth, fold=True, tail=(RowPart(row_text(tail)),))
    assert cell_len(drawn(row, width)) == width


def test_wide_characters_align() -> None:
    texts = ("会議の議事録", "plain", "🎉 party")
    rows = [Row("x", row_text(text), tail=(RowPart(words("7")),)) for text in texts]
    assert {cell_len(drawn(row, 30)) for row in rows} == {30}
    assert {drawn(row, 30)[-2:] for row in rows} == {"7 "}


def test_what_is_cut_off_says_so() -> None:
    assert clipped("abcdefgh", 5) == "abcd…"
    assert clipped("会議の議", 5) == "会議…"
    assert clipped("abc", 3) == "abc"


def test_the_least_important_part_goes_first() -> None:
    row = Row("x", words("text"), tail=(RowPart(words("topics, of, it")), RowPart(words("tomorrow"))))
    assert "tomorrow" in drawn(row, 24)
    assert "topics" not in drawn(row, 24)
    assert "topics" in drawn(row, 90)


def test_a_value_that_is_too_long_is_cut_to_the_room_that_its_name_leaves() -> None:
    value = "2026-03-20 12:00 · the history was rewritten since"
    row = Row("x", words("Backup"), tail=(RowPart(words("older")), RowPart(words(value))))
    assert drawn(row, 50) == "  Backup  2026-03-20 12:00 · the history was rew… "
    assert "older" not in drawn(row, 50)
    taken = replace(row, text=words("a finding that needs all of the room that there is"))
    assert drawn(taken, 50).rstrip().endswith("room that ther…"), "words come before what stands beside them"


def test_emphasis_survives_clipping() -> None:
    row = Row("x", words("see the broker fall"), emphasis=((8, 14, "match"), (15, 99, "match")))
    assert drawn(row, 60).strip() == "see the broker fall"
    assert "brok…" in drawn(row, 16)
