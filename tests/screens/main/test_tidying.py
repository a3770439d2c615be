"""Garbage is collected while nobody types."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from screens.main import garbage_collection
from screens.main.garbage_collection import GarbageCollection
from tests.screens.interface import PATIENCE_SECONDS

PROJECT = Path(__file__).resolve().parents[3]
BEFORE = f"""
import asyncio, gc, weakref
from screens.main import garbage_collection

PATIENCE_SECONDS = {PATIENCE_SECONDS}

class Knot:
    'Refers to itself: only a collection finds it.'
    def __init__(self):
        self.itself = self

tidy = garbage_collection.GarbageCollection()
"""


def run_alone(code: str) -> None:
    """Run it in a process with few objects: to look through all those of the tests takes many seconds."""
    subprocess.run([sys.executable, "-c", BEFORE + code], cwd=PROJECT, check=True)


@pytest.fixture
def tidy() -> Iterator[GarbageCollection]:
    one = GarbageCollection()
    yield one
    one.end()
    assert gc.isenabled()
    gc.freeze()  # as it was before: later tests do not look through all that was ever collected


async def test_nothing_is_collected_until_memory_is_shown(
    tidy: GarbageCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage_collection, "_START_SECONDS", 0.0)
    tidy.begin()
    assert not gc.isenabled()
    tidy.started()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not gc.isenabled():
            await asyncio.sleep(0.001)


def test_everything_is_looked_through_in_a_pause_and_then_put_aside() -> None:
    run_alone("""
garbage_collection.PAUSE_SECONDS = 0.01
gone = weakref.ref(Knot())
frozen = gc.get_freeze_count()
tidy.begin()

async def wait():
    tidy.started()
    while gone() is not None:
        await asyncio.sleep(0.001)

asyncio.run(asyncio.wait_for(wait(), PATIENCE_SECONDS))
assert gc.get_freeze_count() > frozen
""")


def test_garbage_that_was_put_aside_is_found_in_the_next_pause() -> None:
    run_alone("""
tidy.begin()
one = Knot()
gone = weakref.ref(one)
tidy.tidy()
del one
gc.collect()
assert gone() is not None  # it is put aside, where automatic collections do not look
tidy.tidy()
assert gone() is None
""")


async def test_a_key_puts_it_off(tidy: GarbageCollection) -> None:
    tidy.begin()
    tidy.pressed()
    first = tidy._due
    tidy.pressed()
    assert first is not None
    assert first.cancelled()
    assert tidy._due is not None
    assert not tidy._due.cancelled()


async def test_where_it_has_not_begun_python_collects_as_ever(tidy: GarbageCollection) -> None:
    tidy.started()
    tidy.pressed()
    assert tidy._due is None
    assert gc.isenabled()
