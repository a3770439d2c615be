"""How a dream is going, and what came of it, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from screens.actions.active import key_for
from screens.drawing.rows import Part
from screens.drawing.shown import Shown, grouped, plural, row_text, words
from screens.dreams.dreamer import Dreamer
from screens.working.telling import stage_parts
from workbench.consolidation.dreaming.outcome import Outcome
from workbench.errors import StoppedError, WorkbenchError


def progress_parts(dreamer: Dreamer) -> Sequence[Part]:
    """The line above the list; nothing where no dream was asked for."""
    if dreamer.stage is not None:
        return stage_parts("Dreaming", dreamer.stage, stops=key_for("stop_dreaming"))
    if isinstance(dreamer.error, StoppedError):
        return (
            Part(
                words(f"Dreaming was stopped; nothing was written. {key_for('dream')} dreams again"), "warn"
            ),
        )
    if dreamer.error is not None:
        return _failed(dreamer.error, f"{dreamer.root}/")
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


def _failed(error: Exception, root: str) -> Sequence[Part]:
    if isinstance(error, WorkbenchError):
        text = f"{error.message} → {error.hint}" if error.hint else error.message
    else:
        text = f"{type(error).__name__}: {error}"
    return (Part(words("Dreaming failed: "), "bad"), Part(row_text(text.replace(root, "")), "warn"))
