"""Garbage is collected while nobody types."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from screens.main import garbage_collection
from screens.main.garbage_collection import Tidying
from tests.screens.interface import PATIENCE_SECONDS


class Knot:
    """Refers to itself: only a collection finds it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def tidy() -> Iterator[Tidying]:
    one = Tidying()
    yield one
    one.end()
    assert gc.isenabled()


async def test_nothing_is_collected_until_memory_is_shown(
    tidy: Tidying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage_collection, "_START_SECONDS", 0.0)
    tidy.begin()
    assert not gc.isenabled()
    tidy.started()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not gc.isenabled():
            await asyncio.sleep(0.001)


async def test_everything_is_looked_through_in_a_pause_and_then_put_aside(
    tidy: Tidying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage_collection, "PAUSE_SECONDS", 0.01)
    gone = weakref.ref(Knot())
    frozen = gc.get_freeze_count()
    tidy.begin()
    tidy.started()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while gone() is not None:
            await asyncio.sleep(0.001)
    assert gc.get_freeze_count() > frozen


async def test_garbage_that_was_put_aside_is_found_in_the_next_pause(tidy: Tidying) -> None:
    tidy.begin()
    one = Knot()
    gone = weakref.ref(one)
    tidy.tidy()
    del one
    gc.collect()
    assert gone() is not None  # it is put aside, where automatic collections do not look
    tidy.tidy()
    assert gone() is None


async def test_a_key_puts_it_off(tidy: Tidying) -> None:
    tidy.begin()
    tidy.pressed()
    first = tidy._due
    tidy.pressed()
    assert first is not None
    assert first.cancelled()
    assert tidy._due is not None
    assert not tidy._due.cancelled()


async def test_where_it_has_not_begun_python_collects_as_ever(tidy: Tidying) -> None:
    tidy.started()
    tidy.pressed()
    assert tidy._due is None
    assert gc.isenabled()
