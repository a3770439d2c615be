"""A dream: memory is read, every claim is judged, and the best are proposed. Nothing is written."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime

from workbench.collection_pause import no_garbage_collection
from workbench.dreaming.eviction import make_room
from workbench.dreaming.progress import DreamProgress, OnProgress, unheard
from workbench.dreaming.proposal_text import worded
from workbench.dreaming.proposals.suspicious import suspicious_proposals
from workbench.dreaming.result import Dream
from workbench.dreaming.selection import Chooser
from workbench.dreaming.survey import survey
from workbench.llm.language_model import LanguageModel
from workbench.workspace.workspace import Workspace

_EVERY = 2_000
"""Claims that are counted between two words about it."""
_SUSPICIOUS = 5
"""Suspicious lines of one run that are listed."""


@no_garbage_collection()
def dream(
    workspace: Workspace,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    limit: int | None = None,
    tell: OnProgress = unheard,
) -> Dream:
    """Dream once, as of ``now``.

    ``limit`` is the most proposals of this run; where it is not given the settings say it. A ``model`` words
    proposals that have several sources; without one, and where it fails, the words are a source's own.
    ``tell`` hears how far it is, and may stop it. Raises whatever ``tell`` raises.
    """
    began = time.perf_counter()
    now = now if now.tzinfo else now.astimezone()
    limit = workspace.settings.dream_limit if limit is None else limit
    known = survey(workspace, now, tell=tell)
    tell(DreamProgress("choosing"))
    chooser = Chooser(workspace, known, now, limit)
    chosen = chooser.choose()
    tell(DreamProgress("wording", 0, len(chosen)))
    proposals, wording_notes = worded(chosen, model, workspace.settings.language_timeout)
    leaving, room = make_room(workspace, known.model, [choice.proposal for choice in proposals], now)
    for number, judged in enumerate(known.judged):
        if number % _EVERY == 0:
            tell(DreamProgress("wording", len(chosen), len(chosen)))
        if not judged.passed:
            best = judged.cluster.best
            known.skips.add(best.key, judged.left_out, best.text)
    marked = suspicious_proposals(
        (one for one in known.found.suspicious if not chooser.is_remembered(one.text)), now
    )
    made = (*(choice.proposal for choice in proposals), *leaving, *marked[:_SUSPICIOUS])
    more = len(marked) - _SUSPICIOUS
    hidden = (f"{more} more suspicious lines are not listed, and teach nothing",) if more > 0 else ()
    run = f"{now:%Y%m%d-%H%M%S}"
    return Dream(
        run=run,
        considered=len(known.judged),
        gated=sum(judged.passed for judged in known.judged),
        proposals=tuple(replace(proposal, run=run, made_at=now) for proposal in made),
        skipped=tuple(known.skips.named),
        reasons=dict(known.skips.reasons.most_common()),
        notes=(*known.notes, *chooser.notes, *wording_notes, *filter(None, [room]), *hidden),
        took=time.perf_counter() - began,
    )
