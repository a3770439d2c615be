"""A picture keeps every cell of the screen, and tells what differs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from screens.drawing.safe_text import row_text
from tests.screens.looks.picture import cells_of, differences, of_strips, to_svg

STYLES = [
    Style.parse(text) for text in ("#ffffff on #000000", "bold red on #222222", "reverse", "dim underline")
]
RUNS = st.lists(st.tuples(st.text(max_size=8).map(row_text), st.sampled_from(STYLES)), max_size=5)


def drawn(*rows: list[tuple[str, Style]], width: int = 60) -> str:
    strips = [Strip([Segment(text, style) for text, style in row]).adjust_cell_length(width) for row in rows]
    return to_svg(of_strips(strips, width), "a test")


@given(RUNS)
def test_what_is_drawn_can_be_read_back(runs: list[tuple[str, Style]]) -> None:
    written = [(text, style) for text, style in runs if text.isascii()]
    line = "".join(text for text, _ in written)
    (read,) = cells_of(drawn(written))
    assert "".join(cell[0] for cell in read) == line[:60].ljust(60)


def test_a_changed_word_is_told_by_its_row() -> None:
    before, after = (drawn([("same", STYLES[0])], [(word, STYLES[0])]) for word in ("old", "new"))
    assert differences(before, after) == ["row  2 was │old", "       is  │new"]


def test_a_changed_colour_is_told_by_its_cells() -> None:
    before, after = (drawn([("ab", STYLES[0]), ("cd", style)]) for style in STYLES[:2])
    assert differences(before, after) == [
        "row  1, cells 3 to 4: 'c' was cffffff on c000000, is a1 b on c222222"
    ]


def test_the_same_is_no_difference() -> None:
    assert differences(drawn([("a", STYLES[2])]), drawn([("a", STYLES[2])])) == []


def test_reversed_is_told_from_plain() -> None:
    assert 'class="ground"' in drawn([("x", STYLES[2])], width=1)
