"""Why a hit stands where it stands."""

from __future__ import annotations

import msgspec
import pytest

from indexing.ranking.score_part import ScorePart
from indexing.sync.run import reindex
from screens.drawing.safe_text import words
from screens.search.explanation_screen import ExplanationScreen, effect, sum_of
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox
from workbench.agent.search_update import FoundHit


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    sandbox.write("memory/notes.md", "# Notes\n\n- tea in the morning\n- tea with milk, and more tea\n")
    sandbox.write("memory/2020-01-01.md", "# Long ago\n\n- tea tea tea\n")
    reindex(sandbox.workspace, vectors=False)
    return sandbox


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 50)])
async def test_the_parts_of_a_score_are_shown_and_make_it_up(indexed: Sandbox, size: tuple[int, int]) -> None:
    async with opened(indexed.workspace, size) as interface:
        await interface.press("slash")
        await interface.type("tea")
        await interface.until(lambda: len(interface.main.overlay.hits.rows) == 4, "four hits")
        await interface.press("f3")
        await interface.until_shown("Why hit 1 of 4")
        await interface.until_shown("BM25")
        screen = interface.app.screen
        assert isinstance(screen, ExplanationScreen)
        for number, hit in enumerate(screen._hits[:2], 1):
            await interface.until_shown(f"Why hit {number} of 4")
            assert sum_of(hit.parts, hit.score).startswith(f"{hit.score:.3f} = ")
            await interface.until_shown(sum_of(hit.parts, hit.score))
            await interface.press("right")
        await interface.press("f3")
        await interface.until(lambda: interface.app.screen is interface.main, "the search again")
        assert len(interface.main.overlay.hits.rows) == 4


def test_a_score_is_written_as_it_is_made() -> None:
    parts = (
        ScorePart("words", "plus", 0.8, 0.4, 0.32, words("")),
        ScorePart("meaning", "plus", 1.0, 0.6, 0.6, words("")),
        ScorePart("recency", "times", 0.5, 1.0, 0.5, words("")),
        ScorePart("diversity", "order", 0.9, 0.3, 0.27, words("")),
    )
    assert sum_of(parts, 0.46) == "0.460 = (0.320 + 0.600) × 0.500"
    assert [effect(part).text for part in parts] == ["+0.320", "+0.600", "×0.500", "90 % like"]


def test_parts_that_are_none_are_refused() -> None:
    nothing: tuple[object, ...] = ({}, [1], [{"name": "words"}])
    for said in nothing:
        hit = {"entry": "a#1", "path": "a", "start_line": 1, "kind": "log", "date": None, "snippet": "a"}
        with pytest.raises(ValueError, match="parts"):
            msgspec.convert({**hit, "score": 1.0, "parts": said}, FoundHit)
