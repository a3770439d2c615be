"""Decisions that were asked for in the inbox, until its list shows what came of them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime


class RunningDecisions:
    """What was asked for, by the names of the proposals, and when it was done."""

    def __init__(self) -> None:
        self._asked: dict[str, datetime | None] = {}

    def began(self, names: Collection[str]) -> None:
        """This is under way."""
        self._asked |= dict.fromkeys(names)

    def done(self, names: Collection[str], now: datetime) -> None:
        """It was done; the list does not show it yet."""
        self._asked |= {name: now for name in names if name in self._asked}

    def refused(self, names: Collection[str]) -> bool:
        """It was not done; whether it had been asked for."""
        known = self._asked.keys() & names
        for name in known:
            del self._asked[name]
        return bool(known)

    def awaits(self, names: Collection[str]) -> bool:
        """Whether something was asked for one of these, and the list does not show yet what came of it."""
        return not self._asked.keys().isdisjoint(names)

    def shown(self, waits: Collection[str], read_at: datetime) -> None:
        """The list is as of ``read_at``, and only these wait."""
        self._asked = {
            name: done
            for name, done in self._asked.items()
            if name in waits and (done is None or done > read_at)
        }
