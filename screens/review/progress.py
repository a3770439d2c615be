"""How a dream is going, and what came of it, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from screens.actions.active import key_for
from screens.drawing.rows import RowPart
from screens.drawing.safe_text import Shown, grouped, plural, row_text, words
from screens.jobs.job_line import stage_parts
from screens.review.dream_job import Dreamer
from workbench.dreaming.outcome import DreamOutcome
from workbench.errors import StoppedError, WorkbenchError


def progress_parts(dreamer: Dreamer) -> Sequence[RowPart]:
    """The line above the list; nothing where no dream was asked for."""
    if dreamer.stage is not None:
        return stage_parts("Dreaming", dreamer.stage, stops=key_for("stop_dreaming"))
    if isinstance(dreamer.error, StoppedError):
        return (
            RowPart(
                words(f"Dreaming was stopped; nothing was written. {key_for('dream')} dreams again"), "warn"
            ),
        )
    if dreamer.error is not None:
        return _failed(dreamer.error, f"{dreamer.root}/")
    if dreamer.outcome is None:
        return ()
    found = dreamer.outcome
    new = RowPart(new_words(found), "good" if found.added else "muted")
    said = [f"{grouped(found.considered)} claims considered"]
    said += [f"{len(found.waiting)} waited already"] if found.waiting else []
    said += [f"{grouped(found.left_out)} left out", f"{found.took:.1f} s"]
    return (RowPart(words("Dreamt: "), "accent"), new, RowPart(words(" · " + " · ".join(said)), "muted"))


def new_words(found: DreamOutcome) -> Shown:
    """How many proposals are new; where some would leave memory, of which sort how many are."""
    new, leaving = len(found.added), found.leaving
    sorts = f" ({grouped(new - leaving)} to keep, {grouped(leaving)} to archive)" if leaving else ""
    return words(f"{plural(new, 'new proposal')}{sorts}")


def _failed(error: Exception, root: str) -> Sequence[RowPart]:
    if isinstance(error, WorkbenchError):
        text = f"{error.message} → {error.hint}" if error.hint else error.message
    else:
        text = f"{type(error).__name__}: {error}"
    return (RowPart(words("Dreaming failed: "), "bad"), RowPart(row_text(text.replace(root, "")), "warn"))
