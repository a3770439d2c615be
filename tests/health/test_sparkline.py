"""Lines of blocks, and the words that go with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.health.sparkline import BLOCKS, GAP, described, over_line, sparkline, trend

VALUES = st.lists(st.none() | st.floats(0, 1e9), max_size=200)


@pytest.mark.parametrize(
    ("values", "drawn"),
    [
        ([], ""),
        ([None, None], "··"),
        ([0], "▁"),
        ([7], "▄"),
        ([3, 3, 3], "▄▄▄"),
        ([0, 0], "▁▁"),
        ([0, 7], "▁█"),
        ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"),
        ([0, None, 8], "▁·█"),
    ],
)
def test_a_line_shows_the_values_from_the_lowest_to_the_highest(
    values: list[float | None], drawn: str
) -> None:
    assert sparkline(values, 20) == drawn


def test_a_floor_and_a_ceiling_keep_small_changes_small() -> None:
    assert sparkline([50, 51], 10) == "▁█"
    assert sparkline([50, 51], 10, low=0, high=100) == "▅▅"
    assert sparkline([120], 10, low=0, high=100) == "█"


def test_more_values_than_cells_keep_their_peaks() -> None:
    values: list[float | None] = [0.0] * 1_000
    values[437] = 9.0
    drawn = sparkline(values, 40)
    assert len(drawn) == 40
    assert drawn.count("█") == 1


def test_no_room_draws_nothing() -> None:
    assert sparkline([1, 2], 0) == ""
    assert over_line([1, 2], 0, 1) == ""


def test_what_is_over_a_limit_is_marked_beneath() -> None:
    assert over_line([1, 5, 2, 6], 10, 4) == " ! !"
    assert over_line([1, 2], 10, 4) == ""
    assert over_line([None, 9], 10, 4) == " !"


@given(VALUES, st.integers(1, 80))
def test_a_line_never_has_more_than_its_cells_and_only_known_characters(
    values: list[float | None], cells: int
) -> None:
    drawn = sparkline(values, cells, low=0)
    assert len(drawn) == min(len(values), cells)
    assert set(drawn) <= set(BLOCKS + GAP)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([], "nothing is known yet"),
        ([None], "nothing is known yet"),
        ([4], "one moment only"),
        ([4, 4], "unchanged"),
        ([1, 2, 3], "rising"),
        ([3, 2, 1], "falling"),
        ([100, 101, 100, 102, 101, 100], "steady"),
    ],
)
def test_the_trend_is_said_in_words(values: list[float | None], word: str) -> None:
    assert trend(values) == word


def test_the_words_give_lowest_highest_and_last() -> None:
    assert described([5, 3_400, None, 900], "entries") == "lowest 5, highest 3,400, last 900 entries; rising"
    assert described([]) == "nothing is known yet"
    assert described([0.5]) == "lowest 0.5, highest 0.5, last 0.5; one moment only"
