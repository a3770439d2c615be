"""The one list of checks, from which doctor, check, the health screen and the metrics are made.

A new check is a function that takes a ``CheckSubject`` and yields in a few words what it saw, and each
``Finding``; a rule over memory that yields only findings gets their number as its words. It is entered in the
list here and is called by the name of the function. The doctor's checks look and repair in the order of the
list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from workbench.config.read_only import require_more_than_looking
from workbench.errors import UsageError, WorkbenchError, disk_errors
from workbench.health import (
    duplicate_checks,
    index_checks,
    machine_checks,
    memory_checks,
    recall_tests,
    workspace_checks,
)
from workbench.health.finding import (
    DOCTOR,
    Check,
    CheckResult,
    Family,
    Finding,
    Fix,
    Look,
    SkippedError,
    counted,
    worst_first,
)
from workbench.health.subject import NAMED, CheckSubject
from workbench.safety.secrets import masked
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.task_context import TaskContext, moment

_LISTED: tuple[tuple[Family, tuple[Callable[[CheckSubject], Look], ...]], ...] = (
    ("status", (machine_checks.backup, machine_checks.jobs, machine_checks.inbox)),
    (
        "memory",
        (
            memory_checks.budget,
            memory_checks.secrets,
            memory_checks.hidden_text,
            memory_checks.contradictions,
            memory_checks.expiry,
            memory_checks.fading,
            memory_checks.links,
            memory_checks.files,
            memory_checks.origin,
            duplicate_checks.duplicates,
        ),
    ),
    ("status", (machine_checks.recalls,)),
    ("tests", (recall_tests.recall_tests,)),
    (
        "machine",
        (
            machine_checks.python,
            machine_checks.libraries,
            machine_checks.git,
            machine_checks.terminal,
            machine_checks.watching,
            machine_checks.disk,
            machine_checks.clock,
        ),
    ),
    (
        "workspace",
        (
            workspace_checks.settings,
            workspace_checks.format_,
            workspace_checks.repository,
            workspace_checks.git_locks,
            workspace_checks.owner,
            workspace_checks.permissions,
            workspace_checks.locks,
            workspace_checks.interrupted_action,
            workspace_checks.conflicts,
            workspace_checks.leftovers,
            workspace_checks.ledger,
        ),
    ),
    (
        "model",
        (
            index_checks.model,
            index_checks.prepared_form,
            index_checks.provider,
            index_checks.language_model,
        ),
    ),
    (
        "index",
        (
            index_checks.manifest,
            index_checks.workspace,
            index_checks.model_of_vectors,
            index_checks.words,
            index_checks.vectors,
            index_checks.embedding_cache,
            index_checks.sync,
        ),
    ),
)
_QUICK = ("backup", "jobs", "inbox", "budget", "conflicts", "sync")
_ROUNDS = 20
"""Repairs of one check: each is tried once, and what it brought to light is treated too."""


def _check(family: Family, look: Callable[[CheckSubject], Look]) -> Check:
    name = look.__name__.rstrip("_").replace("_", " ")
    return Check(family, name, look, quick=name in _QUICK)


CHECKS = tuple(_check(family, look) for family, looks in _LISTED for look in looks)


def checks_of(*families: str) -> tuple[Check, ...]:
    """The checks of these families, in their order."""
    return tuple(check for check in CHECKS if check.family in families)


def examine(
    subject: CheckSubject, *, fix: bool = False, checks: Sequence[Check] | None = None
) -> Iterator[CheckResult]:
    """The result of each check as it comes, by default of the doctor's; ``fix`` repairs what can be repaired.

    A check that fails is a finding of its own; nothing it meets ends the examination.
    """
    for check in checks_of(*DOCTOR) if checks is None else checks:
        yield _repaired(check, subject) if fix else look_at(check, subject)


def look_at(check: Check, subject: CheckSubject) -> CheckResult:
    """What one check sees and finds. Never raises."""
    seen: list[str] = []
    findings: list[Finding] = []
    if isinstance(subject.workspace, PastWorkspace) and check.family in DOCTOR:
        seen.append("not checked: memory as of an earlier time")
    else:
        try:
            for one in check.look(subject):
                if isinstance(one, str):
                    seen.append(one)
                else:
                    findings.append(one)
        except SkippedError as skipped:
            seen.append(str(skipped))
        except Exception as error:  # whatever it was, the person shall hear of it and of all other checks
            seen, failure = _failure(error)
            findings.append(failure)
    if not seen:
        seen += [counted(findings), subject.corpus.left_out]
    return CheckResult(
        name=check.name,
        family=check.family,
        seen="; ".join(filter(None, seen)),
        findings=tuple(findings),
        total=len(findings),
    )


def _failure(error: Exception) -> tuple[list[str], Finding]:
    """What is said of a check that could not look."""
    meaning = "so this was not checked"
    if isinstance(error, PermissionError):
        what = f"{error.filename or 'a file'} cannot be read: {error.strerror}"
        return ["cannot be read"], Finding(what, meaning, "run the doctor as the owner of the workspace")
    why, do = f"{type(error).__name__}: {error}".partition("\n")[0], ""
    if isinstance(error, WorkbenchError):
        why, do = error.message, error.hint
    return ["could not be checked"], Finding(f"the check itself failed: {why}", meaning, do)


def repair(subject: CheckSubject, name: str) -> tuple[bool, str]:
    """Repair what one of the doctor's checks finds: whether all of it was, and what was done, in words.

    No memory file is written. Raises UsageError for a check that there is not.
    """
    check = next((check for check in checks_of(*DOCTOR) if check.name == name), None)
    if check is None:
        raise UsageError(f"there is no check {name}")
    findings = _repaired(check, subject).findings
    done = [finding.fixed for finding in findings if finding.fixed]
    refused = [f"not repaired: {finding.refused}" for finding in findings if finding.refused]
    return not refused, "; ".join([*done, *refused]) or "there is nothing left to repair"


def _repaired(check: Check, subject: CheckSubject) -> CheckResult:
    """Look, repair the first thing that can be repaired, and look again, until nothing more can be."""
    result = look_at(check, subject)
    fixed: list[Finding] = []
    refused: dict[str, str] = {}
    for _ in range(_ROUNDS):
        due = next((one for one in result.findings if one.repair and one.what not in refused), None)
        if due is None or due.repair is None:
            break
        done = ""
        try:
            with disk_errors():
                require_more_than_looking()
                done = due.repair()
        except WorkbenchError as error:
            refused[due.what] = error.message
        result = look_at(check, subject)
        if done and any(one.what == due.what for one in result.findings):
            refused[due.what] = f"it is still there ({done})"
        elif done:
            fixed.append(replace(due, fixed=done))
    left = [replace(one, refused=refused.get(one.what)) for one in result.findings]
    return replace(result, findings=(*fixed, *left))


LISTED = 200
"""Findings of a check that are listed; the others are counted."""
_PATIENCE = 60.0
"""Seconds after which no further memory file is read for the rules."""


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Look, or repair, as a task of the worker; counting in 50,000 entries must not hold up a key.

    ``{"checks": [names]}`` looks, in the order of the list, at all of it where no names are given;
    ``{"repair": "a check of the doctor's"}`` repairs. Events are ``checks`` (those that there are), ``begin``
    before each, ``result`` after it, and ``repaired``. It may be ended at any time. Raises what opening the
    workspace raises, and UsageError for an unknown check.
    """
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
