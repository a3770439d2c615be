"""Dreaming in a process of its own: ``python -m workbench.dreaming.worker WORKSPACE``.

So an interface stays at hand meanwhile, and loads nothing for it. It speaks as ``workbench.workspace.worker``
says. What is wanted is ``{"do": "dream"}``, whose proposals then wait as those of `workbench dream` do, or
``{"do": "explain", "what": "KEY or words"}``, which writes nothing. ``now`` names the moment as of which.

SIGTERM stops it: until its proposals are written down nothing is, and they are in one write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.dreaming.explain import explain
from workbench.dreaming.outcome import outcome_of
from workbench.dreaming.progress import DreamProgress
from workbench.dreaming.proposals.inbox import propose
from workbench.dreaming.run import dream
from workbench.errors import UsageError
from workbench.llm.provider import open_language_model
from workbench.workspace.worker import Telling, moment, run
from workbench.workspace.workspace import Workspace

_WHAT = "dreaming"


def answer(workspace: Workspace, wanted: Mapping[str, Any], telling: Telling) -> Mapping[str, object]:
    """What was asked for, done. Raises what it raises."""

    def tell(progress: DreamProgress) -> None:
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
