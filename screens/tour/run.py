"""The tour under way: which step it is at, and on to the next when the person really did it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.events import Key
from textual.timer import Timer

from screens.actions.active import key_for
from screens.actions.availability import FocusContext, has_way_back
from screens.actions.registry import action_at
from screens.tour.card import TourCard
from screens.tour.seen import TOUR, remember, was_seen
from screens.tour.steps import STEPS, Doings, folds_in, last_words

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_LOOK_SECONDS = 0.2
"""How often it is looked at what the person did."""


class Touring:
    """Goes through the steps over the main screen. It blocks no key but the one that skips a step."""

    def __init__(self, main: MainScreen) -> None:
        self._main = main
        self._card: TourCard | None = None
        self._timer: Timer | None = None
        self._at = 0
        self._doings = Doings()

    @property
    def step(self) -> int | None:
        """The step from 0, as many as there are steps for the last words; None where there is no tour."""
        return self._at if self._card is not None else None

    async def offer(self) -> None:
        """Begin, unless this person has seen it: then only they ask for it."""
        if not await asyncio.to_thread(was_seen, TOUR):
            await asyncio.to_thread(remember, TOUR)
            self._main.call_later(self.begin)

    def begin(self) -> None:
        """From the first step on, also where it is under way."""
        if self._card is not None:
            self._go_to(0)
            return
        self._card = TourCard()
        self._main.mount(self._card, before=self._main.hint_line)
        self._main.add_class("-touring")
        self._timer = self._main.set_interval(_LOOK_SECONDS, self.look)
        self._go_to(0)

    def end(self) -> None:
        """Take the card away."""
        if self._timer is not None:
            self._timer.stop()
        if self._card is not None:
            self._card.remove()
        self._card = self._timer = None
        self._main.remove_class("-touring")

    def did(self, action: str) -> None:
        """An operation was carried out."""
        self._doings.operations.append(action)
        self.look()

    def look(self) -> None:
        """On to the next step, if this one is done."""
        if (
            self._card is not None
            and self._at < len(STEPS)
            and STEPS[self._at].done(self._main, self._doings)
        ):
            self._go_to(self._at + 1)

    def takes(self, event: Key) -> bool:
        """Whether the key skips a step: the one that goes back, where there is nothing to go back from."""
        if self._card is None or not self._main.is_active:
            return False
        context = self._main.context()
        action = action_at(event.key, context.place)
        if action != "back":
            self._noticed(action)
            return False
        if context.place is not FocusContext.PANE or has_way_back(context) is None:
            return False
        if self._at < len(STEPS):
            self._go_to(self._at + 1)
        else:
            self.end()
        return True

    def _noticed(self, action: str | None) -> None:
        """A key of this action was pressed; rows that opened by themselves before are not its doing."""
        if action in ("open", "unfold"):
            self._doings.folds = folds_in(self._main)
        if action is not None:
            self._doings.keys.add(action)

    def _go_to(self, at: int) -> None:
        self._at = at
        self._doings = Doings(folds=folds_in(self._main))
        if self._card is None:
            return
        back = key_for("back")
        if at < len(STEPS):
            step = STEPS[at]
            self._card.show(
                f"Tour {at + 1}/{len(STEPS)} · {step.title}", step.text(), f"{back} skips this step"
            )
        else:
            self._card.show("Tour", last_words(), f"{back} takes this away")
