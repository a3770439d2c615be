"""Why hits stand where they stand, and what if: the hits follow every turn, nothing is kept unasked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from indexing.ranking.weights import DEFAULT, PRESETS, Weights, weights_of
from indexing.sync.run import reindex
from screens.drawing.safe_text import words
from screens.search.explanation import ScorePart, effect, parts_in, sum_of
from screens.search.weights import KNOBS, Knob, next_preset, preset_of, settings_lines, turned, value_of
from screens.search.weights_screen import WeighingScreen
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox
from workbench.config.settings import load
from workbench.memory.entry import Kind

KNOB = {knob.name: knob for knob in KNOBS}


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    sandbox.write("memory/notes.md", "# Notes\n\n- tea in the morning\n- tea with milk, and more tea\n")
    sandbox.write("memory/2020-01-01.md", "# Long ago\n\n- tea tea tea\n")
    reindex(sandbox.workspace, vectors=False)
    return sandbox


@asynccontextmanager
async def weighing(indexed: Sandbox, size: tuple[int, int] = (140, 40)) -> AsyncIterator[Interface]:
    """The interface over the hits for tea, with the knobs."""
    async with opened(indexed.workspace, size) as interface:
        await interface.press("slash")
        await interface.type("tea")
        await interface.until(lambda: len(interface.main.overlay.hits.rows) == 4, "four hits")
        await interface.press("f3")
        await interface.until(lambda: isinstance(interface.app.screen, WeighingScreen), "the knobs")
        await interface.until(lambda: shown(interface)._found.hits[0].parts, "the parts of scores")
        yield interface


def shown(interface: Interface) -> WeighingScreen:
    assert isinstance(interface.app.screen, WeighingScreen)
    return interface.app.screen


def order(interface: Interface) -> list[str]:
    return [row.path or "" for row in shown(interface).hits.rows]


async def test_the_parts_of_a_score_are_shown_and_make_it_up(indexed: Sandbox) -> None:
    async with weighing(indexed) as interface:
        hit = shown(interface)._found.hits[0]
        await interface.until_shown(f"Hit 1 of 4 · {sum_of(hit.parts, hit.score)}")
        await interface.until_shown("BM25")
        before = shown(interface)._sum
        await interface.press("J")
        await interface.until(lambda: shown(interface)._sum != before, "the parts of another hit")


async def test_a_turn_ranks_anew_and_says_how_far_each_hit_moved(indexed: Sandbox) -> None:
    async with weighing(indexed) as interface:
        before = order(interface)
        assert before[0] == "memory/2020-01-01.md"
        await interface.press(*["down"] * 5, "1", "enter")  # recency
        await interface.until(lambda: order(interface)[-1] == "memory/2020-01-01.md", "the old one is last")
        assert shown(interface).weights.recency == 1.0
        await interface.until_shown("↓3")
        await interface.until_shown("↑1")
        await interface.until_shown("search: {preset: default, recency: 1}")
        await interface.press("r")
        await interface.until(lambda: order(interface) == before, "as it was")
        await interface.until_shown("as it is set")


async def test_leaving_puts_the_ranking_back(indexed: Sandbox) -> None:
    settings = indexed.root / "workbench.yaml"
    async with weighing(indexed) as interface:
        before = [row.id for row in interface.main.overlay.hits.rows]
        await interface.press(*["down"] * 5, "1", "enter")
        await interface.until(lambda: order(interface)[-1] == "memory/2020-01-01.md", "ranked anew")
        await interface.press("escape")
        await interface.until(lambda: interface.app.screen is interface.main, "the search again")
        hits = interface.main.overlay.hits
        await interface.until(lambda: [row.id for row in hits.rows] == before, "ranked as before")
        assert interface.main.searching._weights is None
    assert not settings.exists()


async def test_arrows_presets_numbers_and_kinds(indexed: Sandbox) -> None:
    async with weighing(indexed) as interface:
        screen = shown(interface)
        await interface.press("p")
        assert preset_of(screen.weights) == "openclaw"
        await interface.press("left")
        assert preset_of(screen.weights) == "default"
        await interface.press("down", "right")
        assert screen.weights.share == pytest.approx(0.55)
        await interface.press("0", "full_stop", "2", "5")
        await interface.until_shown("0.25▏")
        await interface.press("down")  # moving on takes the number too
        assert screen.weights.share == pytest.approx(0.75)
        await interface.press("down", "right")
        assert screen.weights.fusion == "rrf"
        await interface.press("down", "9", "escape")  # escape takes back the number before it leaves
        assert interface.app.screen is screen
        assert screen.weights.date == PRESETS["default"].date


async def test_the_settings_are_copied_and_nothing_is_written(indexed: Sandbox) -> None:
    async with weighing(indexed) as interface:
        await interface.press("p", "y")
        await interface.until_said("Copied search: {preset: openclaw} for workbench.yaml")
        assert interface.app.clipboard == "search:\n  preset: openclaw\n"


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 50)])
async def test_it_fits(indexed: Sandbox, size: tuple[int, int]) -> None:
    async with weighing(indexed, size) as interface:
        await interface.until_shown("[default]")
        await interface.until_shown("reset")


async def test_keys_pressed_at_once_are_done_in_their_order(indexed: Sandbox) -> None:
    async with weighing(indexed) as interface:
        await asyncio.gather(
            interface.press("down", "down", "down", "down", "down", "right", "right", "right")
        )
        assert shown(interface).weights.recency == pytest.approx(0.15)


def test_words_and_meaning_share_what_there_is() -> None:
    weights = turned(DEFAULT, KNOB["lexical"], 1.4)
    assert (value_of(weights, KNOB["lexical"]), value_of(weights, KNOB["vector"])) == (1.0, 0.0)


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_no_knob_can_be_turned_too_far(knob: Knob) -> None:
    for value in (-5.0, 0.0, 0.333333, 99_999.0):
        kept = turned(DEFAULT, knob, value)
        assert value_of(turned(kept, knob, value_of(kept, knob)), knob) == value_of(kept, knob)


def test_presets_follow_each_other_round() -> None:
    name, seen = "default", []
    for _ in PRESETS:
        name = next_preset(PRESETS[name], 1, name)
        seen.append(name)
    assert sorted(seen) == sorted(PRESETS)
    assert next_preset(turned(DEFAULT, KNOB["pin"], 0.7), -1, "goclaw") == "openclaw"


@pytest.mark.parametrize(
    "weights",
    [
        DEFAULT,
        PRESETS["goclaw"],
        turned(turned(PRESETS["openclaw"], KNOB["recency"], 0.5), KNOB["half_life"], 14),
        turned(turned(PRESETS["words"], KNOB["lexical"], 0.35), KNOB["dream"], 0.5),
        Weights(fusion="rrf", date=0.0, user=0.0),
    ],
)
def test_the_lines_that_are_copied_rank_like_this(weights: Weights, tmp_path: Path) -> None:
    settings = tmp_path / "workbench.yaml"
    settings.write_text("\n".join(settings_lines(weights)) + "\n")
    kept = weights_of(load(settings))
    assert [value_of(kept, knob) for knob in KNOBS] == pytest.approx([value_of(weights, k) for k in KNOBS])
    assert kept.fusion == weights.fusion


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
        with pytest.raises((TypeError, KeyError)):
            parts_in(said)


def test_every_kind_has_a_knob() -> None:
    assert {str(kind) for kind in Kind} <= set(KNOB)
