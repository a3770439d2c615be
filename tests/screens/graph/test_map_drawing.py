"""The map: everything in its cells, in any script and any room, and each arrow the way it is meant."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from screens.drawing.safe_text import Shown, row_text
from screens.graph.map_view import LEAST_HEIGHT, LEAST_WIDTH, MapNeighbour, draw_map

NAMES = st.one_of(
    st.text(max_size=40).map(row_text),
    st.sampled_from(["Sarah Chen", "東京オフィス", "👩‍👩‍👧 family", "é́́", "[/] [b]"]).map(row_text),
)
SPOKES = st.lists(st.builds(MapNeighbour, NAMES, NAMES, NAMES, st.booleans()), max_size=14)


def spoke(name: str, label: str = "knows", *, forward: bool = True) -> MapNeighbour:
    return MapNeighbour(name, Shown(label), Shown(name), forward)


def drawn(spokes: list[MapNeighbour], width: int = 80, height: int = 11, more: int = 0) -> list[str]:
    lines = draw_map(Shown("Atlas"), spokes, width, height, more=more)
    return ["".join(part.text for part in line) for line in lines]


@given(NAMES, SPOKES, st.integers(1, 140), st.integers(1, 30), st.integers(0, 5_000))
def test_every_line_has_exactly_the_cells_that_there_are(
    center: Shown, spokes: list[MapNeighbour], width: int, height: int, more: int
) -> None:
    lines = draw_map(center, spokes, width, height, more=more)
    assert len(lines) <= height
    assert {cell_len("".join(part.text for part in line)) for line in lines} <= {width}


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(LEAST_HEIGHT, 30), st.integers(0, 9))
def test_what_there_is_no_line_for_is_counted(ways: list[bool], height: int, more: int) -> None:
    lines = drawn([spoke(f"<{n}>", forward=way) for n, way in enumerate(ways)], 120, height, more)
    shown = sum(line.count("<") for line in lines)
    told = sum(int(count) for line in lines for count in re.findall(r"… (\d+) more", line))
    assert shown + told == len(ways) + more


def test_it_reads_as_sentences_from_left_to_right() -> None:
    lines = drawn([spoke("Sarah", "works on", forward=False), spoke("NATS", "uses")])
    (line,) = [line for line in lines if "Atlas" in line]
    assert line.strip() == "Sarah ── works on ►──┤ Atlas ├─── uses ─► NATS"
    assert lines[0].strip() == "╭───────╮"
    assert lines[-1].strip() == "╰───────╯"


def test_where_one_side_is_empty_the_other_gives_and_its_arrows_turn() -> None:
    lines = drawn([spoke("One"), spoke("Two"), spoke("Three")])
    left = [line.split("Atlas")[0] for line in lines if "Atlas" in line or "Three" in line]
    assert any("Three ◄─ knows" in line for line in left)
    assert any("knows ─► One" in line for line in lines)
    both = drawn([spoke("In", forward=False), spoke("Too", forward=False)])
    assert any("◄ knows ── Too" in line for line in both)


def test_neighbours_stand_on_every_other_line_where_there_is_room() -> None:
    three = [spoke(f"P{n}", forward=False) for n in range(3)] + [spoke(f"Q{n}") for n in range(3)]
    assert len(drawn(three, height=11)) == 5
    assert len(drawn(three, height=5)) == 5
    six = [*three, spoke("P4", forward=False), spoke("Q4")]
    assert len(drawn(six, height=6)) == 4


def test_there_is_nothing_where_there_is_no_room_or_nobody() -> None:
    assert drawn([]) == []
    assert drawn([spoke("A")], width=LEAST_WIDTH - 1) == []
    assert drawn([spoke("A")], height=LEAST_HEIGHT - 1) == []


def test_labels_give_way_to_names_where_it_is_narrow() -> None:
    lines = drawn(
        [spoke("A rather long name", "is related to", forward=False), spoke("Another name")], width=36
    )
    assert any("A ra" in line and "is related" not in line for line in lines)


def test_the_chosen_neighbour_is_brought_out() -> None:
    lines = draw_map(Shown("Atlas"), [spoke("Sarah"), spoke("Bob")], 80, 9, chosen="Bob")
    assert [part.text for line in lines for part in line if part.tone == "match"] == ["Bob"]
