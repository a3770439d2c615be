"""The checks as a task of the worker: what counts 50,000 entries must not hold up a key.

``{"checks": [names]}`` looks, in the order of the list, at all of it where none is named;
``{"repair": "a check of the doctor's"}`` repairs. It says which ``checks`` there are, ``begin`` before each,
``result`` when it looked, and ``repaired``; see ``workbench.worker``. It may be ended at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from workbench.errors import UsageError
from workbench.health.checks import CHECKS, look_at, repair
from workbench.health.finding import CheckResult, Finding, Fix, worst_first
from workbench.health.subject import NAMED, CheckSubject
from workbench.safety.secrets import masked
from workbench.workspace.task_context import TaskContext, moment

LISTED = 200
"""Findings of a check that are listed; the others are counted."""
_PATIENCE = 60.0
"""Seconds after which no further memory file is read for the rules."""


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Do what is wished. Raises what opening the workspace raises, and UsageError for an unknown check."""
    with closing(CheckSubject.open(root)) as subject:
        subject.moment, subject.patience = moment(parameters.get("now")), _PATIENCE
        if name := parameters.get("repair"):
            whole, said = repair(subject, str(name))
            context.say("repaired", whole=whole, said=said)
            return {}
        known = {check.name for check in CHECKS}
        wanted = set(parameters.get("checks") or known)
        if unknown := wanted - known:
            raise UsageError(f"there is no check {min(unknown)}")
        context.say("checks", checks=[msgspec.to_builtins(check.label) for check in CHECKS])
        checks = [check for check in CHECKS if check.name in wanted]
        for number, check in enumerate(checks, 1):
            context.say("begin", id=check.name, number=number, of=len(checks))
            context.say("result", result=msgspec.to_builtins(shown(look_at(check, subject))))
    return {}


def shown(result: CheckResult) -> CheckResult:
    """What a person is shown of a result: the gravest findings, with secrets masked wherever they stand.

    It is for another process, which can repair nothing: a repair is a fix that this one is asked for.
    """
    listed = worst_first(result.findings)[:LISTED]
    findings = tuple(_shown(finding, result.name) for finding in listed)
    return replace(result, seen=masked(result.seen), findings=findings)


def _shown(one: Finding, check: str) -> Finding:
    """A repair is one for all findings of the same check."""
    fixes = one.fixes
    if one.repair is not None:
        fixes = (Fix("repair", f"repair it: {check}", of=check), *fixes)
    return replace(
        one,
        what=masked(one.what),
        meaning=masked(one.meaning),
        do=masked(one.do),
        also=one.also[:NAMED],
        fixes=tuple(replace(fix, label=masked(fix.label)) for fix in fixes),
        repair=None,
    )
