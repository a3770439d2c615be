"""The queue: episodes that nothing was promoted of yet, whose facts need no recalls to be proposed.

GoClaw's rule: from 5 such episodes on, at most 10 a run are looked at, the best by their order first, and
not again within 10 minutes of the last run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from workbench.dreaming.score import HALF_LIFE
from workbench.memory.episode import Episode
from workbench.memory.proposal import Proposal
from workbench.workspace.episode_recalls import Mark, recalls_of

LEAST = 5
"""Episodes that must wait before the queue is looked at."""
MOST = 10
"""Episodes of one run."""
DEBOUNCE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An episode that waits. ``score`` is the mean score of its recalls in [0, 1]."""

    path: str
    created: date
    recalls: int = 0
    score: float = 0.0
    last: date | None = None

    def order(self, today: date) -> float:
        """``0.30*min(1, ln(1+recalls)/ln 11) + 0.35*recall score + 0.20*2^(-days since recall/14)
        + 0.15*2^(-age/14)``; what was never recalled has nothing of the first three.
        """
        often = min(1.0, math.log1p(self.recalls) / math.log(11))
        recent = 0.0 if self.last is None else _halved((today - self.last).days)
        return 0.30 * often + 0.35 * self.score + 0.20 * recent + 0.15 * _halved((today - self.created).days)


def chosen(waiting: Iterable[Waiting], today: date) -> tuple[Waiting, ...]:
    """Those that this run looks at, the first in order first; none while too few wait."""
    ordered = sorted(waiting, key=lambda one: (-one.order(today), one.path))
    return tuple(ordered[:MOST]) if len(ordered) >= LEAST else ()


def unpromoted(episodes: Iterable[Episode], marks: Mapping[str, Mark], today: date) -> tuple[Waiting, ...]:
    """Those of the episodes that nothing was promoted of, with their recalls (``recall_marks``)."""
    return tuple(
        _waiting(episode, recalls_of(episode, marks), today)
        for episode in episodes
        if episode.promoted_at is None and episode.problem is None
    )


def too_soon(proposals: Iterable[Proposal], now: datetime) -> datetime | None:
    """When the last run of dreaming was, if that is less than 10 minutes ago."""
    moments = [p.made_at for p in proposals if p.by == "dreaming" and p.made_at is not None]
    last = max((moment for moment in moments if moment <= now), default=None)
    return last if last is not None and now - last < DEBOUNCE else None


def _waiting(episode: Episode, mark: Mark, today: date) -> Waiting:
    return Waiting(
        path=episode.path,
        created=(episode.ended_at.date() if episode.ended_at else episode.created_at) or today,
        recalls=mark.count,
        score=mark.score,
        last=mark.last.date() if mark.last else None,
    )


def _halved(days: int) -> float:
    return float(2.0 ** (-max(0, days) / HALF_LIFE))
