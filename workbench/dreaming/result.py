"""The result of a dream, and the progress that it reports while it runs. All values are frozen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias, TypeVar, get_args

import msgspec

from workbench.dreaming.proposals.inbox import Proposed
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.claims import claim_key
from workbench.memory.proposal import Gate, Proposal, gates_json
from workbench.safety.secrets import clipped, masked
from workbench.safety.terminal import cut

NEAR_MISS = "below the threshold in salience"
"""The reason of a claim that the gate of salience stopped: no junk, but close."""
MOST_NAMED = 500
"""Claims left out that are named; all of them are counted."""
MOST_OF_A_REASON = 40
"""Of these, at most so many for one reason, so that a common one leaves room for the others."""
_SHOWN = 120


@frozen
class SkippedClaim:
    """A claim that is not proposed: its key, a few words why, and how it begins."""

    key: str
    why: str
    text: str = ""

    @property
    def reason(self) -> str:
        """What it is counted by: the words before the colon."""
        return reason_of(self.why)


def reason_of(why: str) -> str:
    """What a claim that is left out is counted by: what more there is to say stands after a colon."""
    return why.partition(":")[0]


class SkippedClaims:
    """Collects what was left out of one run: the counts are whole, the list of names has an end."""

    def __init__(self, wanted: Callable[[str], bool] = lambda _text: False) -> None:
        """``wanted`` says of a text whether it is the claim that somebody asks about."""
        self._wanted = wanted
        self.seen: SkippedClaim | None = None
        """Why that was left out, wherever the list of names ends; None where it was not."""
        self.reasons: Counter[str] = Counter()
        self.named: list[SkippedClaim] = []
        """Those that are named, in the order in which they were left out."""

    def add(self, why: str, text: str) -> None:
        """Leave a claim out. Its key is worked out only where it is named: that takes time."""
        if self.seen is None and self._wanted(text):
            self.seen = SkippedClaim(claim_key(text), why, text)
        reason = reason_of(why)
        if len(self.named) < MOST_NAMED and self.reasons[reason] < MOST_OF_A_REASON:
            self.named.append(SkippedClaim(claim_key(text), why, _beginning(text)))
        self.reasons[reason] += 1


@frozen_kw_only
class Dream:
    """One run: ``considered`` claims, of which ``gated`` may be proposed if their rank is high enough.

    ``skipped`` names claims that were left out, at most as many as fit (``reasons`` counts all of them);
    ``notes`` say in sentences what else a person should know. ``took`` is in seconds. Once its
    proposals wait, ``waiting`` are those that did so before.
    """

    run: str
    considered: int
    gated: int
    proposals: tuple[Proposal, ...] = ()
    waiting: tuple[Proposal, ...] = ()
    skipped: tuple[SkippedClaim, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    took: float = 0.0

    @property
    def left_out(self) -> int:
        """How many claims were left out, named or not."""
        return sum(self.reasons.values())

    @property
    def why_nothing(self) -> str:
        """Why a run proposes nothing, and what to do next, as the rest of a sentence."""
        if not self.reasons:
            return "no log, note or episode has any text; `workbench ingest` makes episodes of sessions"
        why, count = Counter(self.reasons).most_common(1)[0]
        others = "" if count == self.left_out else f" of {self.left_out:,}"
        return f"left out: {count:,}{others}: {why}; `workbench dream --explain WORDS` says more of one"

    def put_forward(self, proposed: Proposed) -> Dream:
        """The run once its proposals wait; what could not wait is left out like anything else."""
        left = [SkippedClaim(one.key, why, _beginning(one.text)) for one, why in proposed.left_out]
        return replace(
            self,
            proposals=proposed.added,
            waiting=proposed.waiting,
            skipped=(*self.skipped, *left),
            reasons=Counter(self.reasons) + Counter(skip.reason for skip in left),
        )

    def as_json(self, *, applied: bool = False) -> dict[str, object]:
        """As ``dream --json`` prints it; the diffs are added by whoever plans to accept."""
        return {
            "run": self.run,
            "considered": self.considered,
            "gated": self.gated,
            "proposals": [proposal.as_json() for proposal in self.proposals],
            "skipped": list(msgspec.to_builtins(self.skipped)),
            "reasons": dict(self.reasons),
            "notes": list(self.notes),
            "took": round(self.took, 3),
            "applied": applied,
        }


@frozen_kw_only
class Explanation:
    """Why one claim is, or is not, proposed. ``verdict`` is one sentence; ``gates`` say how far each is."""

    key: str
    text: str
    proposed: bool
    verdict: str
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    gates: tuple[Gate, ...] = ()
    sources: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """As ``dream --explain KEY --json`` prints it."""
        return {
            **msgspec.to_builtins(self),
            "score": round(self.score, 4),
            "parts": {name: round(value, 4) for name, value in self.parts.items()},
            "gates": gates_json(self.gates),
        }


def _beginning(text: str) -> str:
    """How a claim begins, on one line, without its secrets."""
    return cut(masked(" ".join(clipped(text, 4 * _SHOWN).split())), _SHOWN)


# -- how far a dream is ------------------------------------------------------------------------------

Step = Literal["reading", "folding", "recalls", "judging", "choosing", "wording"]
STEPS: tuple[Step, ...] = get_args(Step)
"""In their order: files are read, what is one claim is folded, recalls are counted, every claim is judged,
the best are chosen, and a language model words them."""

OnProgress: TypeAlias = Callable[[Step, int, int], None]
"""Told the step, and how much is done of how much in all: files for reading, claims for judging; 0 of 0 where
none are counted. Raises StoppedError to stop the dream, which has written nothing by then."""


def unheard(_step: Step, _done: int, _total: int) -> None:
    """Nobody listens."""


EVERY = 2_000
"""Claims that are looked at between two words about it."""
_T = TypeVar("_T")


def telling(claims: Iterable[_T], tell: OnProgress, step: Step, count: int = 0) -> Iterator[_T]:
    """The ``claims``; before the first and every 2,000 of them ``tell`` hears that ``count`` of as many are
    done.
    """
    for number, claim in enumerate(claims):
        if number % EVERY == 0:
            tell(step, count, count)
        yield claim
