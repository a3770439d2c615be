"""What the steps of the tour ask for, and how each knows that it was really done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from screens.actions.active import key_for

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


@dataclass(slots=True)
class Doings:
    """What was done since the step began."""

    operations: list[str] = field(default_factory=list)
    """Actions that became operations."""
    keys: set[str] = field(default_factory=set)
    """Actions whose keys were pressed."""
    folds: int = 0
    """Rows that stood open when it began."""
    searched: bool = False
    """Whether words were searched for and something was found."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step: its title, what to do (asked anew each time: the keys may change), and whether it is done."""

    title: str
    text: Callable[[], str]
    done: Callable[[MainScreen, Doings], bool]


def folds_in(main: MainScreen) -> int:
    """How many rows of the current pane stand open."""
    return sum(1 for row in main.pane.list.rows if row.fold)


def _read(main: MainScreen, doings: Doings) -> bool:
    unfolded = doings.keys & {"open", "unfold"} and folds_in(main) > doings.folds
    return main.laying.reading or bool(unfolded)


def _searched(main: MainScreen, doings: Doings) -> bool:
    if main.overlay.is_open and main.overlay.hits.rows:
        doings.searched = True
    return doings.searched and not main.overlay.is_open


def _promoted(main: MainScreen, doings: Doings) -> bool:
    return "promote" in doings.operations


def _undone(main: MainScreen, doings: Doings) -> bool:
    return "undo" in doings.operations


def _dreamt(main: MainScreen, doings: Doings) -> bool:
    return getattr(main.app.screen, "LEAVES", "") == "review"


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "Look around",
        lambda: (
            f"{key_for('down')} and {key_for('up')} move. {key_for('open')} unfolds a day, "
            f"and on an entry reads it; {key_for('back')} comes back."
        ),
        _read,
    ),
    TourStep(
        "Search",
        lambda: f"{key_for('search')} and then any word, perhaps runbook. {key_for('open')} goes to the hit.",
        _searched,
    ),
    TourStep(
        "Promote",
        lambda: (
            f"On an entry of a day, {key_for('promote')} keeps it in MEMORY.md. "
            "It is one commit, and no question."
        ),
        _promoted,
    ),
    TourStep("Undo", lambda: f"{key_for('undo')} takes it back, as anything that was ever done.", _undone),
    TourStep(
        "Dream",
        lambda: (
            f"{key_for('review')} opens the dream review, and there {key_for('dream')} dreams: look at what "
            f"it finds worth keeping, to accept or reject it. {key_for('back')} comes back."
        ),
        _dreamt,
    ),
)


def last_words() -> str:
    """What stands at the end."""
    return (
        f"That was all. {key_for('help')} shows every key, {key_for('palette')} does everything by name, "
        "the tour among it."
    )
