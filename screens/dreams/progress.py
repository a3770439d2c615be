"""How a dream is going, and what came of it, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from screens.actions.active import key_for
from screens.drawing.rows import Part
from screens.drawing.shown import Shown, grouped, plural, row_text, words
from screens.dreams.dreamer import Dreamer, Stage
from screens.search.indexer import time_left
from workbench.consolidation.dreaming.outcome import Outcome
from workbench.errors import StoppedError, WorkbenchError

_PHASES = {
    "starting": "starting",
    "reading": "reading files",
    "folding": "folding what says the same",
    "recalls": "counting recalls",
    "judging": "judging claims",
    "choosing": "choosing",
    "wording": "wording",
}
_BAR = 16


def progress_parts(dreamer: Dreamer) -> Sequence[Part]:
    """The line above the list; nothing where no dream was asked for."""
    if dreamer.stage is not None:
        return _under_way(dreamer.stage)
    if isinstance(dreamer.error, StoppedError):
        return (
            Part(
                words(f"Dreaming was stopped; nothing was written. {key_for('dream')} dreams again"), "warn"
            ),
        )
    if dreamer.error is not None:
        return _failed(dreamer.error)
    if dreamer.outcome is None:
        return ()
    found = dreamer.outcome
    new = Part(new_words(found), "good" if found.added else "muted")
    said = [f"{grouped(found.considered)} claims considered"]
    said += [f"{len(found.waiting)} waited already"] if found.waiting else []
    said += [f"{grouped(found.left_out)} left out", f"{found.took:.1f} s"]
    return (Part(words("Dreamt: "), "accent"), new, Part(words(" · " + " · ".join(said)), "muted"))


def new_words(found: Outcome) -> Shown:
    """How many proposals are new; where some would leave memory, of which sort how many are."""
    new, leaving = len(found.added), found.leaving
    sorts = f" ({grouped(new - leaving)} to keep, {grouped(leaving)} to archive)" if leaving else ""
    return words(f"{plural(new, 'new proposal')}{sorts}")


def _under_way(stage: Stage) -> Sequence[Part]:
    name = Part(row_text(f"Dreaming: {_PHASES.get(stage.phase, stage.phase)}"), "accent")
    stops = f"{key_for('stop_dreaming')} stops"
    if not stage.total:
        return (name, Part(words(f" … · {stops}"), "muted"))
    filled = min(_BAR, _BAR * stage.done // stage.total)
    bar = Part(words(" " + "━" * filled), "good"), Part(words("╌" * (_BAR - filled)), "faint")
    said = f" {grouped(stage.done)} of {grouped(stage.total)}"
    if stage.rate > 0:
        said += f" · {grouped(round(stage.rate))}/s · {time_left((stage.total - stage.done) / stage.rate)}"
    return (name, *bar, Part(words(f"{said} · {stops}"), "muted"))


def _failed(error: Exception) -> Sequence[Part]:
    if isinstance(error, WorkbenchError):
        text = f"{error.message} → {error.hint}" if error.hint else error.message
    else:
        text = f"{type(error).__name__}: {error}"
    return (Part(words("Dreaming failed: "), "bad"), Part(row_text(text), "warn"))
