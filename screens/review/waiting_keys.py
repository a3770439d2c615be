"""Keys that come faster than decisions: they wait until the list shows the last decision."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from datetime import datetime
from time import monotonic

_DECIDES = frozenset(
    {"accept", "accept_marked", "reword", "reject", "reject_because", "defer", "withdraw"}
)  # fmt: skip
_ANYWAY = frozenset({"back", "review", "help"})
"""The ways out, and help: they drop what waits."""
PAUSE_SECONDS = 1.0
"""Without a decision, after one was dropped: longer than a key that is held down takes to repeat."""


class WaitingKeys:
    """Holds actions, by their ids, and ``perform``s them in their order."""

    def __init__(self, perform: Callable[[str], None], under_hands: Callable[[], Collection[str]]) -> None:
        """``under_hands`` are the names of the proposals that a key would decide on now."""
        self._perform = perform
        self._under_hands = under_hands
        self._held: deque[str] = deque()
        self._decided: dict[str, datetime | None] = {}
        """Proposals that something was asked for, with the moment at which it was done."""
        self._drops_until = 0.0

    def decides(self, names: Collection[str]) -> None:
        """This is under way."""
        self._decided |= dict.fromkeys(names)

    def done(self, names: Collection[str], now: datetime) -> None:
        """It was done; the list does not show it yet."""
        self._decided |= {name: now for name in names if name in self._decided}

    def refused(self, names: Collection[str]) -> None:
        """It was not done: what was pressed after it would decide on what it was not meant for."""
        if any(self._decided.pop(name, self) is not self for name in names):
            self.drop()

    def drop(self) -> None:
        """Drop what waits, and decisions that follow without a pause: they are not for what is there now."""
        self._held.clear()
        self._drops_until = monotonic() + PAUSE_SECONDS

    def awaits(self, names: Collection[str]) -> bool:
        """Whether something was asked for one of these, and the list does not show yet what came of it."""
        return not self._decided.keys().isdisjoint(names)

    def followed(self, waits: Collection[str], read_at: datetime) -> None:
        """The list is as of ``read_at``, and only these wait: go on."""
        self._decided = {
            name: done
            for name, done in self._decided.items()
            if name in waits and (done is None or done > read_at)
        }
        while self._held and not self._is_early(self._held[0]):
            self._perform(self._held.popleft())

    def takes(self, action: str) -> bool:
        """Whether the action is held or dropped; if not, it is to be done now."""
        if action in _ANYWAY:
            self._held.clear()
            return False
        if action in _DECIDES and monotonic() < self._drops_until:
            self.drop()
            return True
        if self._held or self._is_early(action):
            self._held.append(action)
            return True
        return False

    def _is_early(self, action: str) -> bool:
        return action in _DECIDES and self.awaits(self._under_hands())
