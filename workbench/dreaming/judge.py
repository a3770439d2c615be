"""Judging a cluster: its signals, its score by the rule that applies to it, and how far each gate is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from workbench.dreaming.clusters import Cluster, days_of, sources_of
from workbench.dreaming.evidence_score import Ground, grounded_score
from workbench.dreaming.gates import Gates, by_ground, by_use, corroboration, passed
from workbench.dreaming.information_density import telling
from workbench.dreaming.phases import light_hits, rem_hits
from workbench.dreaming.score import WEIGHTS, Score, Signals, scored
from workbench.dreaming.signals import ClaimRecalls
from workbench.memory.entry import Kind
from workbench.memory.graph_page import IMPORTANCE
from workbench.memory.proposal import Gate
from workbench.memory.topics import concept_tags

_USED = 2
"""Days of recall that count as one more source: what the agent keeps using has stood the test."""
_UNKNOWN_TYPE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A cluster with all that is known of its use. ``grounded``: by what it stands on, not by its use."""

    cluster: Cluster
    signals: Signals
    sources: int
    score: Score
    gates: tuple[Gate, ...]
    grounded: bool
    active: frozenset[date]

    @property
    def passed(self) -> bool:
        """Whether it has passed every gate."""
        return passed(self.gates)


@dataclass(frozen=True, slots=True)
class Judge:
    """What is the same for all clusters of a run. ``cold``: no recalls tell anything yet."""

    today: date
    gates: Gates
    cold: bool

    def by_rule(self, cluster: Cluster, recalled: ClaimRecalls | None, *, queued: bool) -> Judged:
        """By its use; by its ground where nothing could be recalled, or where it waits in the queue."""
        judged = self.by_use(cluster, recalled)
        if (self.cold or queued) and not judged.passed:
            return self.by_ground(judged)
        return judged

    def by_use(self, cluster: Cluster, recalled: ClaimRecalls | None) -> Judged:
        """By the recalls, mentions and days of the claim."""
        days = tuple(sorted(recalled.days)) if recalled else ()
        echoes = frozenset(days) - {cluster.mentions[0].day}
        sources = sources_of(cluster.mentions, echoes=echoes)
        said = {m.day for m in cluster.mentions if m.kind is Kind.LOG and m.day not in echoes}
        active = frozenset(said.union(days, (m.day for m in cluster.mentions if m.kind is not Kind.LOG)))
        signals = Signals(
            recalls=recalled.count if recalled else 0,
            recalled=recalled.score if recalled else 0.0,
            queries=len(recalled.queries) if recalled else 0,
            days=days,
            daily=len(said),
            grounded=len(sources),
            light=light_hits(active, self.today, self.gates.days),
            rem=rem_hits(active, self.today, self.gates.days),
        )
        score = scored(signals, self.today)
        if self._could_pass(score, signals):  # naming concepts costs more than all the rest
            signals = replace(signals, tags=len(concept_tags(cluster.best.text)))
            score = scored(signals, self.today)
        gates = by_use(score, signals, cluster.best.fact.strength, self.gates)
        return Judged(
            cluster=cluster,
            signals=signals,
            sources=len(sources),
            score=score,
            gates=(*gates, self._corroboration(cluster, len(sources), days)),
            grounded=False,
            active=active,
        )

    def by_ground(self, judged: Judged) -> Judged:
        """By what the text says, and by who says it."""
        cluster = judged.cluster
        best = cluster.best
        tags = len(concept_tags(best.text))
        ground = Ground(
            strength=best.fact.strength,
            lasting=best.fact.lasting,
            importance=IMPORTANCE.get(best.fact.type, _UNKNOWN_TYPE),
            sources=judged.sources,
            last=cluster.mentions[-1].day,
            telling=telling(best.text, tags),
        )
        score = grounded_score(ground, self.today)
        gates = by_ground(score, ground.strength, judged.sources, self.gates)
        return replace(
            judged,
            signals=replace(judged.signals, tags=tags),
            score=score,
            gates=(*gates, self._corroboration(cluster, judged.sources, judged.signals.days)),
            grounded=True,
        )

    def _could_pass(self, score: Score, signals: Signals) -> bool:
        enough = score.total + WEIGHTS["conceptual"] >= self.gates.score
        return enough and signals.count >= self.gates.signals and signals.context >= self.gates.context

    def _corroboration(self, cluster: Cluster, sources: int, days: Sequence[date]) -> Gate:
        """What comes from outside corroborates nothing that others say; by itself it may wait for a person.

        What tells of its day only, by its words, needs another day that says it.
        """
        echoes = frozenset(days) - {cluster.mentions[0].day}
        inside = [mention for mention in cluster.mentions if mention.trusted]
        if not inside:
            return corroboration(sources, trusted=True)
        if cluster.best.fact.of_a_day:
            used = len(days) >= _USED
            return corroboration(len(days_of(inside, echoes=echoes)) + used, trusted=False)
        if len(inside) < len(cluster.mentions):
            sources = len(sources_of(inside, echoes=echoes))
        return corroboration(sources + (len(days) >= _USED), trusted=True)


def why_left_out(judged: Judged) -> str:
    """The first gate that is not passed, in a few words; what stands before a colon is counted."""
    missed = {gate.name: gate for gate in judged.gates if gate.distance > 0}
    gate = missed.get("corroboration")
    if gate is not None and not gate.reached:
        return "said only after the agent had been given it"
    if "context" in missed and not judged.signals.context:
        return "never recalled"
    if gate is not None and judged.cluster.best.fact.of_a_day:
        return f"of its day only: {gate.reached:g} of {gate.needed:g} independent sources"
    if gate is not None:
        return f"nobody vouches for it: {gate.reached:g} of {gate.needed:g} independent sources"
    name, gate = next(iter(missed.items()))
    return f"below the bar in {name}: {gate.reached:.2f} of {gate.needed:g}"
