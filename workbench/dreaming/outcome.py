"""What became of a run, as whoever started it in another process is told: no proposals, only their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from workbench.dreaming.proposals.inbox import Proposed
from workbench.dreaming.proposals.safety_flags import title
from workbench.dreaming.result import Dream, Explanation, Skip

_SHOWN = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamOutcome:
    """One run: ``added`` are the keys of what waits since then, ``waiting`` of what waited already.

    ``leaving`` of those that were added would go to the archive: the limit of a run does not count them.

    ``skipped`` names claims that were left out, at most as many as fit; ``reasons`` counts all of them.
    ``took`` is in seconds.
    """

    run: str
    considered: int
    gated: int
    added: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    leaving: int = 0
    skipped: tuple[Skip, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    took: float = 0.0

    @property
    def left_out(self) -> int:
        """How many claims were left out, named or not."""
        return sum(self.reasons.values())

    def as_json(self) -> dict[str, object]:
        """As it is said through a pipe."""
        said: dict[str, object] = msgspec.to_builtins(self)
        return said


def outcome_of(dreamt: Dream, proposed: Proposed) -> DreamOutcome:
    """What became of a run once its proposals wait; what could not wait is left out like anything else."""
    reasons = dict(dreamt.reasons)
    for _, why in proposed.left_out:
        reason = why.partition(":")[0]
        reasons[reason] = reasons.get(reason, 0) + 1
    return DreamOutcome(
        run=dreamt.run,
        considered=dreamt.considered,
        gated=dreamt.gated,
        added=tuple(one.key for one in proposed.added),
        waiting=tuple(one.key for one in proposed.waiting),
        leaving=sum(one.action == "archive" for one in proposed.added),
        skipped=(
            *dreamt.skipped,
            *(Skip(one.key, why, title(one.text, _SHOWN)) for one, why in proposed.left_out),
        ),
        reasons=reasons,
        notes=dreamt.notes,
        took=dreamt.took,
    )


def outcome_from_json(said: Mapping[str, Any]) -> DreamOutcome:
    """What ``DreamOutcome.as_json`` said. Raises ValueError where it is none."""
    return msgspec.convert(said, DreamOutcome)


def explanation_from_json(said: Mapping[str, Any]) -> Explanation:
    """What ``msgspec.to_builtins`` said of one. Raises ValueError where it is none."""
    return msgspec.convert(said, Explanation)
