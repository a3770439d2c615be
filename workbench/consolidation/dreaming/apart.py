"""Dreaming in a process of its own: ``python -m workbench.consolidation.dreaming.apart WORKSPACE``.

So an interface stays at hand meanwhile, and loads nothing for it. It speaks as ``workbench.workspace.apart``
says. What is wanted is ``{"do": "dream"}``, whose proposals then wait as those of `workbench dream` do, or
``{"do": "explain", "what": "KEY or words"}``, which writes nothing. ``now`` names the moment as of which.

SIGTERM stops it: until its proposals are written down nothing is, and they are in one write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.consolidation.dreaming.dream import dream
from workbench.consolidation.dreaming.explain import explain
from workbench.consolidation.dreaming.outcome import outcome_of
from workbench.consolidation.dreaming.progress import Progress
from workbench.errors import UsageError
from workbench.models.choice import open_language_model
from workbench.proposals.pending import propose
from workbench.workspace.apart import Telling, moment, run
from workbench.workspace.workspace import Workspace

_WHAT = "dreaming"


def answer(workspace: Workspace, wanted: Mapping[str, Any], telling: Telling) -> Mapping[str, object]:
    """What was asked for, done. Raises what it raises."""

    def tell(progress: Progress) -> None:
        telling.progress(progress.phase, progress.done, progress.total)

    now = moment(wanted.get("now"))
    if wanted.get("do") == "explain":
        return {"explanation": explain(workspace, str(wanted.get("what", "")), now, tell=tell).as_json()}
    if wanted.get("do") != "dream":
        raise UsageError("nothing that can be done was asked for")
    model = open_language_model(workspace.settings)
    dreamt = dream(workspace, now=now, model=model, tell=tell)
    telling.heed()
    return {"outcome": outcome_of(dreamt, propose(workspace, dreamt.proposals, now, anew=True)).as_json()}


if __name__ == "__main__":
    run(_WHAT, answer)
