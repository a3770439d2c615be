"""Why a claim is proposed, or is not: its score, how far each gate is, or where it was left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from workbench.collection_pause import no_garbage_collection
from workbench.dreaming.clusters import Cluster
from workbench.dreaming.fact_type import fact_type
from workbench.dreaming.line_judgement import judged, why_of
from workbench.dreaming.progress import OnProgress, unheard
from workbench.dreaming.result import Explanation, Skips
from workbench.dreaming.score import Judged
from workbench.dreaming.selection import MOST_SOURCES, Chooser, why_proposed
from workbench.dreaming.survey import line_of, survey
from workbench.memory.claims import claim_key
from workbench.workspace.workspace import Workspace

_KEY = re.compile(r"[0-9a-f]{4,16}")


@no_garbage_collection()
def explain(
    workspace: Workspace, key_or_text: str, now: datetime, *, tell: OnProgress = unheard
) -> Explanation:
    """Why the claim that ``key_or_text`` names is, or is not, proposed at ``now``.

    It is named by (the beginning of) its key, by the address of an entry, by its words, or by a part of
    them. Nothing is written.
    """
    now = now if now.tzinfo else now.astimezone()
    wanted = _Wanted(key_or_text)
    skips = Skips(lambda text: wanted.holds(text) or wanted.names(claim_key(text)))
    known = survey(workspace, now, skips=skips, tell=tell)
    chooser = Chooser(workspace, known, now, workspace.settings.dream_limit)
    found = wanted.among(known.judged)
    if found is None:
        if seen := skips.seen:
            why = f"it is no candidate: {seen.why}"
            return Explanation(key=seen.key, text=seen.text, proposed=False, verdict=why)
        days = workspace.settings.dream_days
        why = f"no log, note or episode of the last {days} days says it; older recalls of it lead nowhere"
        return Explanation(key=wanted.key, text=wanted.said, proposed=False, verdict=why)
    cluster, recalls = found.cluster, found.recalls
    line = line_of(cluster.best)
    choice = next((one for one in chooser.choose() if one.proposal.key == cluster.key), None)
    if choice is not None:
        found = choice.judged
        verdict = f"it is proposed ({choice.proposal.action}): {choice.proposal.why}"
    elif found.passed:
        verdict = f"it could be proposed, and is left out all the same: {chooser.left_out[cluster.key]}"
    else:
        verdict = f"it is not proposed: {found.left_out}"
        if not found.salience:  # a run that has a great many to judge did not look at it
            (judgement,) = judged(known.model, [line])
            found = replace(found, salience=judgement.score)
    return Explanation(
        key=cluster.key,
        text=cluster.best.text,
        proposed=choice is not None,
        verdict=verdict,
        score=found.score,
        parts=found.parts,
        gates=found.gates,
        sources=tuple(dict.fromkeys(mention.source for mention in cluster.mentions))[:MOST_SOURCES],
        facts={
            "recalls": recalls.count,
            "questions": len(recalls.queries),
            "recall_days": len(recalls.days),
            "daily": found.days,
            "grounded": found.sources,
            "mentions": len(cluster.mentions),
            "trust": cluster.best.trust,
            "type": fact_type(cluster.best.text),
            "why": why_proposed(found, None),
            "words": why_of(known.model, line),
        },
    )


class _Wanted:
    """What was asked about, by key, address or words."""

    def __init__(self, said: str) -> None:
        self.said = said.strip()
        self.key = claim_key(self.said)
        self._prefix = self.said.casefold() if _KEY.fullmatch(self.said.casefold()) else ""
        self._words = " ".join(self.said.casefold().split())

    def among(self, judged: Sequence[Judged]) -> Judged | None:
        """The claim that is meant most surely; None where none is."""
        ways: tuple[Callable[[Cluster], bool], ...] = (
            lambda cluster: self.key in cluster.keys,
            lambda cluster: any(map(self.names, cluster.keys)),
            lambda cluster: "#" in self.said and any(m.entry.startswith(self.said) for m in cluster.mentions),
            lambda cluster: any(self.holds(mention.text) for mention in cluster.mentions),
        )
        return next((one for way in ways for one in judged if way(one.cluster)), None)

    def names(self, key: str) -> bool:
        """Whether a claim's key is the one that was given, or begins so."""
        return key == self.key or (bool(self._prefix) and key.startswith(self._prefix))

    def holds(self, text: str) -> bool:
        """Whether the words stand in ``text``."""
        return bool(self._words) and self._words in " ".join(text.casefold().split())
