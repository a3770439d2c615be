"""What the engines of search tell: published by them, heard by the search line and by the index monitor."""

from __future__ import annotations

from dataclasses import dataclass

from screens.drawing.safe_text import Shown
from screens.jobs.progress import Stage
from workbench.agent.search_update import SearchUpdate

KEYWORD_INDEX = "keyword index"
"""The phase after which there are keyword hits."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An engine answered the question number ``seq``."""

    seq: int
    found: SearchUpdate
    final: bool


@dataclass(frozen=True, slots=True)
class WordsFailed:
    """The question number ``seq`` has no answer, why, and what helps."""

    seq: int
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MeaningFailed:
    """Semantic search has no answer to the question number ``seq``; the keyword hits stay."""

    seq: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentChanged:
    """How far the index of a moment of the past is: the one of ``commit``.

    ``seq`` is the question that waits for it, where that is told; ``problem`` is why it is not coming.
    """

    commit: str
    seq: int | None = None
    phase: str = ""
    done: int = 0
    total: int = 0
    ready: bool = False
    problem: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MeaningChanged:
    """Semantic search is ready, or gone and why."""

    ready: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexChanged:
    """How far the index is: ``text`` while it is being built, None when it is done; ``stage`` has figures.

    What stands before `` · `` in ``text`` says enough where there is little room.
    """

    text: Shown | None
    searchable: bool
    problem: str = ""
    stage: Stage | None = None
