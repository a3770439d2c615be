"""The tour goes on when a step was really done, skips on escape, blocks nothing, and is offered once."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

from screens.app import WorkbenchApp
from screens.tour.card import TourCard
from screens.tour.seen import TOUR, remember, seen_path, was_seen
from screens.tour.steps import STEPS
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox


async def begin(interface: Interface) -> None:
    interface.main.action_perform("tour")
    await interface.until_shown("Tour 1/5")


async def read(interface: Interface) -> None:
    await interface.until(lambda: interface.main.panes[1].list.empty != "reading …", "memory was read")


def step(interface: Interface) -> int | None:
    return interface.app.touring.step


async def test_a_step_goes_on_when_the_person_did_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (80, 24)) as interface:
        await begin(interface)
        await interface.go_to("staging port")
        assert step(interface) == 0
        await interface.press("enter")
        await interface.until_shown("Tour 2/5")
        await interface.press("escape")
        await interface.until(lambda: not interface.main.laying.reading, "no more reading; nothing skipped")
        assert step(interface) == 1
        await interface.press("escape")
        await interface.until_shown("Tour 3/5")
        await interface.go_to("staging port")
        await interface.press("p")
        await interface.until_shown("Tour 4/5")
        await interface.press("u")
        await interface.until_shown("Tour 5/5")
        await interface.press("D")
        await interface.until(lambda: step(interface) == len(STEPS), "the dream review was seen")
        await interface.press("escape")
        await interface.until_shown("That was all. ? shows every key")
        await interface.press("escape")
        await interface.until(lambda: step(interface) is None, "the card is gone")
        await interface.until(lambda: "That was all" not in interface.text, "and not seen")


async def test_words_typed_over_it_are_not_lost_and_escape_leaves_the_search_first(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await begin(interface)
        await interface.press("slash")
        await interface.type("jk tea")
        await interface.until(lambda: interface.main.overlay.input.value == "jk tea", "every letter")
        await interface.press("escape")
        await interface.until(lambda: not interface.main.overlay.is_open, "out of the search")
        assert step(interface) == 0


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)])
async def test_no_toast_stands_on_the_card_and_the_last_step_says_how_to_dream(
    sandbox: Sandbox, size: tuple[int, int]
) -> None:
    async with opened(sandbox.workspace, size) as interface:
        await begin(interface)
        for title in ("Search", "Promote", "Undo", "Dream"):
            await interface.press("escape")
            await interface.until_shown(title)
        await interface.until_shown("there r dreams")
        card = interface.main.query_one(TourCard)
        for number in (1, 2):
            interface.app.notify(f"Said {number}: " + "many words " * 8)
            await interface.until_shown(f"Said {number}")
        toasts = [toast.region for toast in interface.main.query(Toast)]
        assert all(not toast.overlaps(card.region) for toast in toasts)
        assert min(toast.y for toast in toasts) == 2
        await interface.press("escape")
        await interface.until_shown("That was all")
        await interface.press("escape")
        await interface.until(lambda: not interface.main.query(TourCard), "the card is gone")
        interface.app.notify("Said 3")
        await interface.until_shown("Said 3")
        bottom = max(toast.region.bottom for toast in interface.main.query(Toast))
        assert bottom > size[1] - 4


async def test_where_lines_are_few_one_toast_shows_in_two_lines(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (60, 20)) as interface:
        for number in (1, 2):
            interface.app.notify(f"Said {number}: " + "many words " * 8)
            await interface.until_shown(f"Said {number}")
        await interface.until(
            lambda: [toast.size.height for toast in interface.main.query(Toast)] == [2],
            "one toast, of two lines",
        )


async def test_asking_again_begins_anew_with_one_card(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await begin(interface)
        await interface.press("escape")
        await interface.until_shown("Tour 2/5")
        await interface.press("colon")
        await interface.type("tour")
        await interface.until_shown("Five short steps")
        await interface.press("enter")
        await interface.until_shown("Tour 1/5")
        await interface.until(lambda: len(interface.main.query(TourCard)) == 1, "one card")


async def test_it_is_offered_once_and_only_where_it_shall_be(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        assert step(interface) is None
    for first in (True, False):
        app = WorkbenchApp(sandbox.workspace, engines=False, tour=True)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            interface = Interface(app, pilot)
            await interface.until(lambda: was_seen(TOUR), "remembered")
            await read(interface)
            if first:
                await interface.until_shown("Tour 1/5")
            assert (step(interface) == 0) is first


def test_what_was_seen_is_remembered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert not was_seen(TOUR)
    remember(TOUR)
    remember("other")
    assert was_seen(TOUR)
    assert seen_path().read_text() == "tour\nother\n"


def test_where_nothing_can_be_remembered_nobody_is_shown_it_at_every_start() -> None:
    seen_path().mkdir(parents=True)
    assert was_seen(TOUR)
    remember(TOUR)
