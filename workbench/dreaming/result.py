"""What a dream is once it has been dreamt. All of it is frozen: dreaming reads, and writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.memory.proposal import Gate, Proposal

NEAR_MISS = "below the threshold"
"""How the reason begins why a claim was left out that the gate of salience stopped: no junk, but close."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A claim that is not proposed: its key, a few words why, and how it begins."""

    key: str
    why: str
    text: str = ""

    def as_json(self) -> dict[str, str]:
        """As the command line prints it."""
        return {"key": self.key, "why": self.why, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dream:
    """One run: ``considered`` claims, of which ``gated`` may be proposed if their rank is high enough.

    ``skipped`` names claims that were left out, at most as many as fit (``reasons`` counts all of them);
    ``notes`` say in sentences what else a person should know. ``took`` is in seconds.
    """

    run: str
    considered: int
    gated: int
    proposals: tuple[Proposal, ...] = ()
    skipped: tuple[Skip, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    took: float = 0.0

    def as_json(self, *, applied: bool = False) -> dict[str, object]:
        """As ``dream --json`` prints it; the diffs are added by whoever plans to accept."""
        return {
            "run": self.run,
            "considered": self.considered,
            "gated": self.gated,
            "proposals": [proposal.as_json() for proposal in self.proposals],
            "skipped": [skip.as_json() for skip in self.skipped],
            "reasons": dict(self.reasons),
            "notes": list(self.notes),
            "took": round(self.took, 3),
            "applied": applied,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
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
            "key": self.key,
            "text": self.text,
            "proposed": self.proposed,
            "verdict": self.verdict,
            "score": round(self.score, 4),
            "parts": {name: round(value, 4) for name, value in self.parts.items()},
            "gates": {
                gate.name: {
                    "reached": round(gate.reached, 4),
                    "needed": gate.needed,
                    "distance": round(gate.distance, 4),
                }
                for gate in self.gates
            },
            "sources": list(self.sources),
            "facts": dict(self.facts),
        }
