"""A screen that starts workers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from textual.screen import Screen, ScreenResultType
from textual.worker import Worker

Work = Callable[[], Coroutine[None, None, None]]


class WorkingScreen(Screen[ScreenResultType]):
    """What fails in a worker does not end the program."""

    def work(self, work: Work, group: str, *, exclusive: bool = False) -> None:
        """Start a worker; a newer ``exclusive`` one of its ``group`` ends it."""
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)
