"""Stand-in models that workers open for themselves, in processes of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.support.hashing import HashingEmbedder
from workbench.fleet.worker import Recipe, Task, TaskResult, Worker

LAST_WORDS = "the worker that reads this is killed"


def die_once(marker: Path) -> None:
    """Kill this process, unless one was killed at this ``marker`` before."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal(HashingEmbedder):
    """Kills its process at ``LAST_WORDS``, once for each ``marker``."""

    def __init__(self, marker: Path) -> None:
        super().__init__()
        self._marker = marker

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any(LAST_WORDS in text for text in texts):
            die_once(self._marker)
        return super().embed(texts)


def open_or_die(marker: Path) -> HashingEmbedder:
    """Kills the first process that opens it, and each one while ``marker`` is a folder."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        if not marker.is_dir():
            return HashingEmbedder()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def open_mortal(markers: Path) -> Mortal:
    """Kills its process once at the start, once at work, and once when the work is done but not handed in."""
    die_once(markers / "start")
    run = Worker.run

    def run_and_die(self: Worker, task: Task) -> TaskResult:
        done = run(self, task)
        if done.rows is not None:
            die_once(markers / "end")
        return done

    setattr(Worker, "run", run_and_die)  # noqa: B010 - in the worker's own process
    return Mortal(markers / "work")


def hashing() -> Recipe:
    """Rows with the vectors of the usual stand-in."""
    return Recipe("hashing@1", 64, HashingEmbedder)


def dying_at_start(marker: Path) -> Recipe:
    """The same, by workers of which the first dies before it has begun."""
    return Recipe("hashing@1", 64, partial(open_or_die, marker))


def mortal(markers: Path) -> Recipe:
    """The same, by workers that are killed in each phase, as files in ``markers`` tell."""
    return Recipe("hashing@1", 64, partial(open_mortal, markers))
