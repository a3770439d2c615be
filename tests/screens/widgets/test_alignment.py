"""Rows line up, whatever script or picture they hold: every strip is as wide as its list, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from screens.drawing.safe_text import TONES, Row, RowPart, Tone, row_text
from screens.widgets.entry_list import RowStyles, clipped, row_strip
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

LOOK = RowStyles(Style.null(), Style(reverse=True), {tone: Style.null() for tone in TONES})
CLUSTERS = (
    "a", "Ω", "é", "e\u0301", "한", "会", "ｱ", "Ａ", "ก็", "हि", "ع", "א",
    "🎉", "👍🏽", "👨\u200d👩\u200d👧\u200d👦", "🏳️\u200d🌈", "❤\ufe0f", "☂\ufe0e", "🇩🇪", "🇩", "1\ufe0f\u20e3",
    "\u0301", "\u200d", "\ufe0f", "\t", "\x1b[31m", "\u202e", "─", "…", " ", "‽", "ﷺ",
)  # fmt: skip
"""What a person would call one character, and what no person would."""
TEXTS = st.lists(st.sampled_from(CLUSTERS), max_size=40).map("".join)
ANY = TEXTS | st.text(max_size=40)
TONED = st.tuples(st.integers(0, 60), st.integers(0, 60), st.sampled_from(TONES)).map(
    lambda found: (min(found[:2]), max(found[:2]), found[2])
)


def fills(strip: Strip, width: int) -> bool:
    """Whether its pieces, each drawn by itself as terminals get them, are ``width`` cells together."""
    return strip.cell_length == width and sum(cell_len(segment.text) for segment in strip) == width


@settings(max_examples=120)
@given(
    text=ANY,
    lead=ANY,
    tails=st.lists(ANY, max_size=3),
    emphasis=st.lists(TONED, max_size=3),
    width=st.integers(4, 90),
    depth=st.integers(0, 3),
    cursor=st.booleans(),
)
@example(text="", lead="👨\u200d👩\u200d👧\u200d👦a", tails=[], emphasis=[], width=11, depth=3, cursor=False)
def test_a_row_of_any_script_fills_its_width(
    text: str,
    lead: str,
    tails: list[str],
    emphasis: list[tuple[int, int, Tone]],
    width: int,
    depth: int,
    cursor: bool,
) -> None:
    row = Row(
        "x",
        row_text(text),
        depth=depth,
        lead=(RowPart(row_text(lead)),) if lead else (),
        tail=tuple(RowPart(row_text(tail)) for tail in tails),
        emphasis=tuple(sorted(emphasis)),
    )
    assert fills(row_strip(row, width, LOOK, cursor=cursor, marked=cursor), width)


@pytest.mark.promise(
    "The interface",
    "a search match inside a joined emoji",
    "the emoji is never split, and the row keeps its width",
)
@given(
    st.lists(
        st.sampled_from([cluster for cluster in CLUSTERS if not cluster.isascii()]), min_size=1, max_size=9
    ),
    st.lists(TONED, min_size=1, max_size=4),
)
def test_what_is_brought_out_cuts_no_character(
    clusters: list[str], emphasis: list[tuple[int, int, Tone]]
) -> None:
    row = Row("x", row_text("".join(clusters)), emphasis=tuple(sorted(emphasis)))
    assert fills(row_strip(row, 60, LOOK, cursor=False, marked=False), 60)


@given(ANY, st.integers(1, 60))
@example("हि\u200d", 3)
@example("👍\u200d and more", 4)
def test_text_is_clipped_to_its_cells(text: str, cells: int) -> None:
    assert cell_len(clipped(row_text(text), cells)) == cells


ENTRIES = "# 2026-03-15\n\n" + "".join(
    f"- {text}\n"
    for text in (
        "会議の議事録を書く、それから昼ごはんを食べて、長い会議にもう一度出る",
        "👨\u200d👩\u200d👧\u200d👦 family dinner 🏳️\u200d🌈 🇩🇪🇫🇷🇯🇵 flags in a row longer than a pane",
        "❤\ufe0f love, ☂\ufe0e rain, 1\ufe0f\u20e3 key cap",
        "cafe\u0301 nai\u0308ve Z\u0335\u0321\u0353\u0353a\u0334\u0315l\u0336\u030ag\u0335\u0301o",
        "한국어 텍스트와 ｶﾀｶﾅ ＡＢＣ　full width",
        "עברית and العربية and हिन्दी and ภาษาไทย",
    )
)


@pytest.mark.parametrize("size", [(60, 20), (81, 25), (140, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_frames_stay_straight_around_any_text(sandbox: Sandbox, size: tuple[int, int]) -> None:
    sandbox.write("memory/2026-03-15.md", ENTRIES)
    sandbox.write("MEMORY.md", ENTRIES.replace("2026-03-15", "Memory 会議"))
    sandbox.commit("scripts")
    async with opened(sandbox.workspace, size) as interface:
        await interface.until_shown("会議")
        for _ in range(6):
            for strip in interface.app.screen._compositor.render_strips():
                assert fills(strip, size[0]), strip.text
            for pane in interface.main.panes:
                rows = pane.list
                if not rows.display or not pane.display:
                    continue
                for y in range(rows.size.height):
                    assert fills(rows.render_line(y), rows.scrollable_content_region.width)
            await interface.press("j")
