"""Dreaming from the interface: in a process of its own, which goes on while the person looks elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from screens.actions.active import key_for
from screens.drawing.safe_text import RowPart, Shown, grouped, plural, row_text, words
from screens.frames.services import Desk
from screens.jobs.running_jobs import Stage, Work, Works, stage_parts
from screens.jobs.worker_client import WorkerClient
from workbench.dreaming.result import Dream, Explanation
from workbench.errors import StoppedError, WorkbenchError

_KEY = "dream"
_PHASES = {
    "reading": "reading files",
    "folding": "merging duplicates",
    "recalls": "counting recalls",
    "judging": "judging claims",
}
_GRACE_SECONDS = 1.0
"""A dream writes nothing before its end, so there is nothing to wait for."""


class Dreamer:
    """At most one dream at a time. ``told`` hears when anything changes; what came of the last one stays."""

    def __init__(self, root: Path, works: Works | None = None) -> None:
        """``works`` are those that the interface shows everywhere; None where nobody looks."""
        self.root = root
        self._works = works
        self._client: WorkerClient | None = None
        self.stage: Stage | None = None
        """How far the dream under way is; None while there is none."""
        self.outcome: Dream | None = None
        self.error: Exception | None = None
        self.told: Callable[[], object] = bool
        self.explained: dict[str, Explanation] = {}

    @property
    def running(self) -> bool:
        """Whether a dream is under way."""
        return self.stage is not None

    async def dream(self) -> None:
        """Dream once, and keep what came of it. Raises nothing: ``error`` says what went wrong."""
        after = f"a dream writes nothing before it ends; {key_for('dream')} dreams again"
        client = self._client = WorkerClient("dream", self.root, progress=self._moved_on, after=after)
        self.error = None
        self._moved_on(Stage("starting"))
        try:
            said = await client.run()
            self.outcome = msgspec.convert(said["outcome"], Dream)
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
                self.explained[what] = msgspec.convert(said["explanation"], Explanation)
            except (KeyError, ValueError) as error:
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


def say_elsewhere(desk: Desk, dreamer: Dreamer) -> None:
    """Tell of a dream that is over while another screen is open."""
    if dreamer.running:
        return
    if dreamer.error is not None:
        desk.say(row_text(f"Dreaming: {dreamer.error}"), "warning")
    elif dreamer.outcome is not None:
        told = f"Dreamt: {new_words(dreamer.outcome)}; {key_for('review')} shows what is pending"
        desk.say(words(told), "information")
        desk.changed()


def progress_parts(dreamer: Dreamer) -> Sequence[RowPart]:
    """How a dream is going, and what came of it, in a line; nothing where no dream was asked for."""
    if dreamer.stage is not None:
        return stage_parts("Dreaming", dreamer.stage, stops=key_for("stop_dreaming"))
    if isinstance(dreamer.error, StoppedError):
        again = f"{key_for('dream')} dreams again"
        return (RowPart(words(f"Dreaming was stopped; nothing was written. {again}"), "warn"),)
    if dreamer.error is not None:
        return (
            RowPart(words("Dreaming failed: "), "bad"),
            RowPart(row_text(_why(dreamer.error).replace(f"{dreamer.root}/", "")), "warn"),
        )
    found = dreamer.outcome
    if found is None:
        return ()
    new = RowPart(new_words(found), "good" if found.proposals else "muted")
    said = [f"{grouped(found.considered)} claims considered"]
    said += [f"{len(found.waiting)} waited already"] if found.waiting else []
    said += [f"{grouped(found.left_out)} left out", f"{found.took:.1f} s"]
    return (RowPart(words("Dreamt: "), "accent"), new, RowPart(words(" · " + " · ".join(said)), "muted"))


def _why(error: Exception) -> str:
    if isinstance(error, WorkbenchError):
        return " → ".join(filter(None, (error.message, error.hint)))
    return f"{type(error).__name__}: {error}"


def new_words(found: Dream) -> Shown:
    """How many proposals are new; where some would leave memory, of which sort how many are."""
    new, leaving = len(found.proposals), sum(one.action == "archive" for one in found.proposals)
    sorts = f" ({grouped(new - leaving)} to keep, {grouped(leaving)} to archive)" if leaving else ""
    return words(f"{plural(new, 'new proposal')}{sorts}")
