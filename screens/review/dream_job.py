"""Dreaming from the interface, in a worker process that goes on while the person looks elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from screens.actions.keys import key_for
from screens.drawing.safe_text import RowPart, Shown, grouped, piece, plural, safe_piece, said_of, words
from screens.jobs.running_jobs import JobStage, RunningJobs, stage_parts
from screens.jobs.worker_client import WorkerClient, WorkerJob
from workbench.dreaming.result import Dream, Explanation
from workbench.errors import StoppedError, WorkbenchError

_PHASES = {
    "reading": "reading files",
    "folding": "merging duplicates",
    "recalls": "counting recalls",
    "judging": "judging claims",
}


class Dreamer(WorkerJob):
    """At most one dream at a time. ``told`` hears when anything changes; what came of the last one stays."""

    TASK = "dream"
    NAME = "Dreaming"
    GRACE = 1.0  # it writes nothing before its end, so there is nothing to wait for

    def __init__(self, root: Path, works: RunningJobs) -> None:
        super().__init__(root, works)
        self.stage = JobStage("")
        """How far the dream under way is."""
        self.outcome: Dream | None = None
        self.error: Exception | None = None
        self.told: Callable[[], object] = bool
        self.explained: dict[str, Explanation] = {}

    async def dream(self) -> None:
        """Dream once, and keep what came of it. Raises nothing: ``error`` says what went wrong."""
        after = f"a dream writes nothing before it ends; {key_for('dream')} dreams again"
        self.error = None
        try:
            said = await self.run_task({}, after=after)
            self.outcome = msgspec.convert(said["outcome"], Dream)
            self.explained = {}
        except Exception as error:
            self.error = StoppedError("dreaming") if self._client and self._client.stopped else error
        self.told()

    async def explain(self, what: str) -> Explanation:
        """Why a claim is, or is not, proposed: by key, address or words. Raises WorkbenchError, OSError."""
        if what not in self.explained:
            said = await WorkerClient("dream", self.root, after="ask again").run({"explain": what})
            try:
                self.explained[what] = msgspec.convert(said["explanation"], Explanation)
            except (KeyError, ValueError) as error:
                raise WorkbenchError("dreaming gave no answer") from error
        return self.explained[what]

    def _moved(self, stage: JobStage) -> None:
        self.stage = replace(stage, phase=_PHASES.get(stage.phase, stage.phase))
        super()._moved(self.stage)
        self.told()


def progress_parts(dreamer: Dreamer) -> Sequence[RowPart]:
    """How a dream is going, and what came of it, in a line; nothing where no dream was asked for."""
    if dreamer.running:
        return stage_parts(dreamer.NAME, dreamer.stage, stops=key_for("stop_dreaming"))
    if isinstance(dreamer.error, StoppedError):
        again = f"{key_for('dream')} dreams again"
        return (piece(f"Dreaming was stopped; nothing was written. {again}", "warn"),)
    if dreamer.error:
        return (
            piece("Dreaming failed: ", "bad"),
            safe_piece(" → ".join(said_of(dreamer.error)).replace(f"{dreamer.root}/", ""), "warn"),
        )
    found = dreamer.outcome
    if found is None:
        return ()
    new = RowPart(new_words(found), "good" if found.proposals else "muted")
    said = (
        f" · {grouped(found.considered)} claims considered",
        f"{len(found.waiting)} waited already" if found.waiting else "",
        f"{grouped(found.left_out)} left out",
        f"{found.took:.1f} s",
        "" if found.proposals or found.waiting else found.why_nothing,
    )
    return (piece("Dreamt: ", "accent"), new, piece(" · ".join(filter(None, said))))


def new_words(found: Dream) -> Shown:
    """How many proposals are new; where some would leave memory, of which sort how many are."""
    new, leaving = len(found.proposals), sum(one.action == "archive" for one in found.proposals)
    sorts = f" ({grouped(new - leaving)} to keep, {grouped(leaving)} to archive)" if leaving else ""
    return words(f"{plural(new, 'new proposal')}{sorts}")
