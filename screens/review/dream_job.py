"""Dreaming from the interface: in a process of its own, which goes on while the person looks elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from screens.actions.active import key_for
from screens.frames.services import Desk
from screens.jobs.progress import Stage
from screens.jobs.running_jobs import Work, Works
from screens.jobs.worker_client import WorkerClient
from workbench.dreaming.outcome import DreamOutcome, explanation_from_json, outcome_from_json
from workbench.dreaming.result import Explanation
from workbench.errors import StoppedError, WorkbenchError

_KEY = "dream"
_PHASES = {
    "reading": "reading files",
    "folding": "folding what says the same",
    "recalls": "counting recalls",
    "judging": "judging claims",
}


class Dreamer:
    """At most one dream at a time. ``told`` hears when anything changes; what came of the last one stays."""

    def __init__(self, root: Path, works: Works | None = None) -> None:
        """``works`` are those that the interface shows everywhere; None where nobody looks."""
        self.root = root
        self._works = works
        self._client: WorkerClient | None = None
        self.stage: Stage | None = None
        """How far the dream under way is; None while there is none."""
        self.outcome: DreamOutcome | None = None
        self.error: Exception | None = None
        self.told: Callable[[], None] = _nobody
        self.explained: dict[str, Explanation] = {}

    @property
    def running(self) -> bool:
        """Whether a dream is under way."""
        return self.stage is not None

    async def dream(self) -> None:
        """Dream once, and keep what came of it. Raises nothing: ``error`` says what went wrong."""
        after = f"a dream writes nothing before its end; {key_for('dream')} dreams anew"
        client = self._client = WorkerClient("dream", self.root, progress=self._moved_on, after=after)
        self.error = None
        self._moved_on(Stage("starting"))
        try:
            said = await client.run()
            self.outcome = outcome_from_json(said["outcome"])
            self.explained = {}
        except Exception as error:
            self.error = StoppedError("dreaming") if client.stopped else error
        finally:
            self.stage = None
            if self._works is not None:
                self._works.gone(_KEY)
        self.told()

    async def stop(self) -> None:
        """End the dream under way; nothing of it is written."""
        if self._client is not None:
            await self._client.stop(_GRACE_SECONDS)

    async def close(self) -> None:
        """The program ends."""
        await self.stop()

    async def explain(self, what: str) -> Explanation:
        """Why a claim is, or is not, proposed: by key, address or words. Raises WorkbenchError, OSError."""
        if what not in self.explained:
            said = await WorkerClient("dream", self.root, after="ask again").run({"explain": what})
            try:
                self.explained[what] = explanation_from_json(said["explanation"])
            except (KeyError, TypeError, ValueError) as error:
                raise WorkbenchError("dreaming gave no answer") from error
        return self.explained[what]

    def _moved_on(self, stage: Stage) -> None:
        self.stage = replace(stage, phase=_PHASES.get(stage.phase, stage.phase))
        if self._works is not None:
            self._works.show(Work(key=_KEY, name="Dreaming", stage=self.stage, stop=self.stop))
        self.told()


def dreamer_of(desk: Desk) -> Dreamer:
    """The one of this interface: it is found again, with what it does, when the screen is opened again."""
    kept = desk.kept.setdefault("dreamer", Dreamer(desk.workspace.root, desk.works))
    assert isinstance(kept, Dreamer)
    return kept


_GRACE_SECONDS = 1.0
"""A dream writes nothing before its end, so there is nothing to wait for."""


def _nobody() -> None:
    """Nobody listens."""
