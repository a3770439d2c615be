"""Words for numbers and days, and the one way for text to the screen."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from screens.drawing.safe_text import age, days_until, grouped, line_text, of_all, plural, row_text

TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("days", "said"),
    [(0, "today"), (3, "3d"), (35, "5w"), (100, "3mo"), (706, "23mo"), (730, "2y"), (-2, "in 2d")],
)
def test_age(days: int, said: str) -> None:
    assert age(TODAY - timedelta(days=days), TODAY) == said


@pytest.mark.parametrize(
    ("days", "said"),
    [(0, "today"), (1, "tomorrow"), (-1, "yesterday"), (12, "in 12 days"), (-3, "3 days ago")],
)
def test_days_until(days: int, said: str) -> None:
    assert days_until(TODAY + timedelta(days=days), TODAY) == said


def test_numbers() -> None:
    assert grouped(9412) == "9,412"
    assert plural(1, "entry") == "1 entry"
    assert plural(1200, "byte") == "1,200 bytes"
    assert of_all(216, 1200, "files") == "216/1,200 files"
    assert of_all(715, 715, "files") == ""


def test_control_characters_become_visible_once() -> None:
    assert row_text("a\x1b[31mb\nc") == "a␛[31mb c"
    assert row_text("\u202e") == "<U+202E>"
    assert line_text("\ta\r\n") == "    a"


def test_a_row_never_grows_beyond_its_limit() -> None:
    assert len(row_text("x" * 5_000_000)) <= 600
