"""Watches the scheduled jobs: a job that fails in the background is shown as a banner."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from screens.actions.active import key_for
from screens.drawing.safe_text import Shown, row_text
from workbench.jobs.job_status import JobStatus, standings
from workbench.jobs.runs import now
from workbench.workspace.layout import STATE_DIR

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

LOOK_SECONDS = 30.0


class Overseeing:
    """Looks at the records of the jobs now and then, off the event loop."""

    def __init__(self, screen: MainScreen, root: Path) -> None:
        self._screen = screen
        self._state = root / STATE_DIR

    def begin(self) -> None:
        """Look now, and from now on."""
        self.look()
        self._screen.set_interval(LOOK_SECONDS, self.look)

    def look(self) -> None:
        """Look once."""
        self._screen.work(self._read, "jobs", exclusive=True)

    async def _read(self) -> None:
        found = await asyncio.to_thread(standings, self._state, now())
        self._screen.curating.jobs_stand(jobs_line([one for one in found if one.wrong]))


def jobs_line(wrong: Sequence[JobStatus]) -> Shown:
    """The banner: the first of them, how many more, and where all is told; nothing while all are well."""
    if not wrong:
        return Shown("")
    first, more = wrong[0].sentence, f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    where = f"{key_for('health')} shows what mends it, and `workbench jobs status`"
    return row_text(f"{first[:1].upper()}{first[1:]}{more}: {where}")
