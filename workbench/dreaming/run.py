"""A dream: memory is read, every claim is judged, and what passes is proposed. Nothing is written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from workbench.dreaming.eviction import shed
from workbench.dreaming.gates import Gates
from workbench.dreaming.inputs import Survey, survey
from workbench.dreaming.judge import Judged, why_left_out
from workbench.dreaming.phases import LIGHT_DAYS, RECURRING, pattern_strength
from workbench.dreaming.progress import DreamProgress, OnProgress, unheard
from workbench.dreaming.proposal_text import worded
from workbench.dreaming.proposals.suspicious import MOST, suspicious_proposals
from workbench.dreaming.result import PHASES, Dream, Phase, Seen
from workbench.dreaming.selection import MOST_SOURCES, RECURRING_PATTERNS, Chooser
from workbench.errors import UsageError
from workbench.llm.port import LanguageModel
from workbench.operations.sections import section_for
from workbench.workspace.workspace import Workspace

MOST_SEEN = 20
"""Claims that the phases light and REM name; the others are counted in a note."""


def dream(
    workspace: Workspace,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    phase: Phase = "deep",
    limit: int | None = None,
    gates: Gates | None = None,
    tell: OnProgress = unheard,
) -> Dream:
    """Dream once, as of ``now``. Only ``deep`` proposes; ``light`` and ``rem`` tell what they see.

    ``limit`` is the most proposals of this run, ``gates`` the thresholds; where they are not given the
    settings say them. A ``model`` words proposals that have several sources; without one, and where it
    fails, the words are a source's own. ``tell`` hears how far it is, and may stop it. Raises UsageError for
    settings that cannot be, and whatever ``tell`` raises.
    """
    began = time.perf_counter()
    if phase not in PHASES:
        raise UsageError(f"there is no phase {phase}", hint="phases: " + ", ".join(PHASES))
    now = now if now.tzinfo else now.astimezone()
    gates = gates or Gates.of(workspace.settings)
    gates = gates if limit is None else replace(gates, limit=limit)
    run = f"{now:%Y%m%d-%H%M%S}"
    known = survey(workspace, now, gates, tell=tell)
    result = Dream(
        run=run,
        phase=phase,
        considered=len(known.judged),
        gated=sum(judged.passed for judged in known.judged),
        notes=known.notes,
    )
    if phase == "deep":
        result = _deep(workspace, known, result, now, model, tell)
    else:
        result = _looked_at(workspace, known, result, phase)
    return replace(result, took=time.perf_counter() - began)


def _deep(
    workspace: Workspace,
    known: Survey,
    result: Dream,
    now: datetime,
    model: LanguageModel | None,
    tell: OnProgress,
) -> Dream:
    tell(DreamProgress("choosing"))
    chooser = Chooser(workspace, known, now)
    chosen = chooser.choose()
    tell(DreamProgress("wording", 0, len(chosen)))
    proposals, wording_notes = worded(chosen, model, workspace.settings.language_timeout)
    room = shed(workspace, [choice.proposal for choice in proposals], now, cold=known.cold)
    for one in room.unworthy:
        known.skips.add(one.key, "memory is full: what stands there is worth more", one.text)
    for judged in known.judged:
        if not judged.passed:
            best = judged.cluster.best
            known.skips.add(best.key, why_left_out(judged), best.text)
    worthy = (choice.proposal for choice in proposals if choice.proposal not in room.unworthy)
    marked = suspicious_proposals(known.found.suspicious, now)
    made = (*worthy, *room.leaving, *marked[:MOST])
    return replace(
        result,
        proposals=tuple(replace(proposal, run=result.run, made_at=now) for proposal in made),
        skipped=known.skips.named,
        reasons=dict(known.skips.reasons.most_common()),
        notes=(*result.notes, *chooser.notes, *wording_notes, *room.notes),
    )


def _looked_at(workspace: Workspace, known: Survey, result: Dream, phase: Phase) -> Dream:
    """What light or REM sees: the claims of its days, the strongest first."""
    memory = workspace.memory_document()
    found = sorted(_seen(known, phase), key=lambda one: (-one[0], one[1].cluster.key))
    seen = tuple(
        Seen(
            key=judged.cluster.key,
            text=judged.cluster.best.text,
            section=RECURRING_PATTERNS if phase == "rem" else section_for(judged.cluster.best.text, memory),
            strength=strength,
            days=tuple(sorted(judged.active)),
            sources=tuple(mention.source for mention in judged.cluster.mentions[:MOST_SOURCES]),
        )
        for strength, judged in found[:MOST_SEEN]
    )
    more = len(found) - len(seen)
    notes = (f"{more:,} more were seen; {MOST_SEEN} are named",) if more else ()
    return replace(
        result,
        seen=seen,
        skipped=known.skips.named,
        reasons=dict(known.skips.reasons.most_common()),
        notes=(*result.notes, *notes),
    )


def _seen(known: Survey, phase: Phase) -> Iterator[tuple[float, Judged]]:
    for judged in known.judged:
        strength = pattern_strength(judged.active, known.today)
        if phase == "rem" and strength >= RECURRING:
            yield strength, judged
        elif phase == "light":
            days = [(known.today - day).days for day in judged.active]
            if any(0 <= age < LIGHT_DAYS for age in days):
                yield min(1.0, judged.score.total), judged
