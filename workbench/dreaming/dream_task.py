"""Dreaming as a task of the worker; see ``workbench.worker``.

``{}`` dreams, and the proposals then wait as those of `workbench dream` do; ``{"explain": "KEY or words"}``
writes nothing. ``now`` names the moment as of which. It can be stopped at any time: until its proposals are
written down nothing is, and they are in one write.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from workbench.dreaming.explain import explain
from workbench.dreaming.progress import DreamProgress
from workbench.dreaming.proposals.inbox import propose
from workbench.dreaming.run import dream
from workbench.llm.provider import WITHOUT_MODEL, language_model_or_why
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Dream, or explain. Raises what these raise."""

    def tell(progress: DreamProgress) -> None:
        context.progress(progress.phase, progress.done, progress.total)

    now = moment(parameters.get("now"))
    with closing(Workspace.open(root)) as workspace:
        if what := parameters.get("explain"):
            return {"explanation": msgspec.to_builtins(explain(workspace, str(what), now, tell=tell))}
        model, why_none = language_model_or_why(workspace.settings)
        dreamt = dream(workspace, now=now, model=model, tell=tell)
        if why_none:
            dreamt = replace(dreamt, notes=(f"{WITHOUT_MODEL}: {why_none}", *dreamt.notes))
        context.require_not_stopped()
        dreamt = dreamt.put_forward(propose(workspace, dreamt.proposals, now, anew=True))
        return {"outcome": msgspec.to_builtins(dreamt)}
