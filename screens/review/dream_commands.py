"""Dreaming, and asking why: what is worked out in another process, from the keys to the screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import Worker

from screens.actions.active import key_for
from screens.dialogs.choose import ChooseScreen
from screens.drawing.rows import Row
from screens.drawing.safe_text import row_text, words
from screens.frames.overlay_screen import failure_rows
from screens.frames.services import Desk
from screens.main.movement import Command
from screens.review import detail, prompts
from screens.review.dream_job import Dreamer
from screens.review.progress import new_words

if TYPE_CHECKING:
    from screens.review.review import ReviewScreen


class Wondering:
    """The commands that start and stop a dream, and that ask why."""

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen
        self._dreamer: Dreamer = screen.dreamer

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {"why": self._why, "dream": self._dream, "stop_dreaming": self.stop}

    def why_not(self) -> dict[str, str]:
        """What is in the way of each action, by its id."""
        if self._dreamer.running:
            return {"dream": f"a dream is under way: {key_for('stop_dreaming')} stops it"}
        return {"stop_dreaming": f"no dream is under way: {key_for('dream')} starts one"}

    def stop(self) -> None:
        """Stop the dream that is under way."""
        _: Worker[None] = self._screen.app.run_worker(
            self._dreamer.stop, group="stopping", exit_on_error=False
        )

    def _dream(self) -> None:
        """By a worker of the program, not of the screen: it goes on when the screen is closed."""
        _: Worker[None] = self._screen.app.run_worker(
            self._dreamer.dream, group="dreaming", exit_on_error=False
        )

    def _why(self) -> None:
        """Of the claim under the cursor; of any words where there is none."""
        if key := self._screen.standing.key_of(self._screen.list.row):
            self._explain(key)
            return

        def answered(said: str | None) -> None:
            if said:
                self._explain(said)

        dialog = ChooseScreen(
            words("Why is it proposed, or not?"),
            (),
            prompts.typed_claim,
            placeholder="words of a claim, an entry's address or a key",
            empty="type a few of its words",
        )
        self._screen.app.push_screen(dialog, answered)

    def _explain(self, what: str) -> None:
        row = self._screen.list.row
        self._screen.behind.show((Row("working", words("working out why …"), tone="muted"),))
        work = partial(self._work_out, what, row.id if row else "")
        self._screen.work(work, "behind", exclusive=True)

    async def _work_out(self, what: str, asked_on: str) -> None:
        rows: Sequence[Row]
        try:
            rows = detail.explanation_rows(await self._dreamer.explain(what))
        except Exception as error:
            rows = failure_rows(error)
        self._screen.post_message(self._screen.Explained(asked_on, rows))


def say_elsewhere(desk: Desk, dreamer: Dreamer) -> None:
    """Tell of a dream that is over while another screen is open."""
    if dreamer.running:
        return
    if dreamer.error is not None:
        desk.say(row_text(f"Dreaming: {dreamer.error}"), "warning")
    elif dreamer.outcome is not None:
        desk.say(
            words(f"Dreamt: {new_words(dreamer.outcome)}; {key_for('review')} shows what waits"),
            "information",
        )
        desk.changed()
