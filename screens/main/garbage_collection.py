"""Garbage collection that waits for a pause in typing."""

from __future__ import annotations

import asyncio
import gc

PAUSE_SECONDS = 1.5
"""How long no key must have come before everything is looked through."""
_START_SECONDS = 2.0
"""How long nothing is collected at first: what is made then is shown, and stays."""
_OLDEST = 2


class GarbageCollection:
    """Collects in the pauses; does nothing until it has begun.

    The entries of a large memory are a million objects that live as long as the interface. A full collection
    looks at all of them, which takes a tenth of a second, and Python does it whenever enough new objects have
    come, also while somebody types. Here long-lived objects are hidden from automatic collections
    (``gc.freeze``), and a full collection runs once no key was pressed for PAUSE_SECONDS.
    """

    def __init__(self) -> None:
        self._due: asyncio.TimerHandle | None = None
        self._collections = -1
        self._begun = False

    def begin(self) -> None:
        """Collect nothing until memory is shown: called before the event loop runs."""
        gc.disable()
        self._begun = True

    def started(self) -> None:
        """The event loop runs: collections come back soon, those of everything in the first pause."""
        if self._begun:
            asyncio.get_running_loop().call_later(_START_SECONDS, gc.enable)
            self.pressed()

    def pressed(self) -> None:
        """A key came: the pause begins anew."""
        if not self._begun:
            return
        if self._due is not None:
            self._due.cancel()
        self._due = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self.tidy)

    def tidy(self) -> None:
        """Collect everything, unless the automatic collections had nothing to do since the last time."""
        self._due = None
        collections = gc.get_stats()[_OLDEST]["collections"]
        if collections == self._collections:
            return
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._collections = gc.get_stats()[_OLDEST]["collections"]

    def end(self) -> None:
        """Leave collecting as Python does it."""
        if self._due is not None:
            self._due.cancel()
        if self._begun:
            self._begun = False
            gc.unfreeze()
            gc.enable()
