"""The one list of checks: what doctor, check, the health screen and the metrics are made from.

Of the doctor's the order is that in which things are looked at, and repaired. A new check is a function from
a ``CheckSubject`` to a ``Look`` and one line here; a new rule over memory is a generator of findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.config.read_only import require_more_than_looking
from workbench.errors import UsageError, WorkbenchError
from workbench.health import (
    duplicates,
    index_checks,
    links,
    machine,
    memory_checks,
    models,
    recall_tests,
    status_checks,
    unfinished_checks,
    workspace_checks,
)
from workbench.health.finding import DOCTOR, Check, CheckResult, Finding, Look
from workbench.health.index_checks import at_rest
from workbench.health.memory_checks import checked_by
from workbench.health.subject import CheckSubject

CHECKS: tuple[Check, ...] = (
    Check("status", "backup", status_checks.backup, quick=True),
    Check("status", "jobs", status_checks.jobs, quick=True),
    Check("status", "inbox", status_checks.inbox, quick=True),
    Check("memory", "budget", memory_checks.budget, quick=True),
    Check("memory", "secrets", checked_by(memory_checks.secrets)),
    Check("memory", "hidden text", checked_by(memory_checks.hidden)),
    Check("memory", "contradictions", checked_by(memory_checks.contradictions)),
    Check("memory", "expiry", checked_by(memory_checks.expiry)),
    Check("memory", "fading", checked_by(memory_checks.fading)),
    Check("memory", "links", checked_by(links.dead_links, links.dead_sources)),
    Check("memory", "files", checked_by(memory_checks.files)),
    Check("memory", "origin", checked_by(memory_checks.origin)),
    Check("memory", "duplicates", checked_by(duplicates.duplicates)),
    Check("status", "recalls", status_checks.recalls),
    Check("tests", "recall tests", recall_tests.recall_tests),
    Check("machine", "python", machine.python),
    Check("machine", "libraries", machine.libraries),
    Check("machine", "git", machine.git),
    Check("machine", "terminal", machine.terminal),
    Check("machine", "watching", machine.watching),
    Check("machine", "disk", machine.disk),
    Check("machine", "clock", machine.clock),
    Check("workspace", "settings", workspace_checks.settings),
    Check("workspace", "format", workspace_checks.workspace_format),
    Check("workspace", "repository", workspace_checks.repository),
    Check("workspace", "git locks", workspace_checks.git_locks),
    Check("workspace", "owner", workspace_checks.owners),
    Check("workspace", "permissions", workspace_checks.permissions),
    Check("workspace", "locks", unfinished_checks.locks),
    Check("workspace", "interrupted action", unfinished_checks.operation),
    Check("workspace", "conflicts", unfinished_checks.conflicts, quick=True),
    Check("workspace", "leftovers", unfinished_checks.leftovers),
    Check("workspace", "ledger", unfinished_checks.ledger),
    Check("model", "model", models.model),
    Check("model", "prepared form", models.prepared),
    Check("model", "provider", models.provider),
    Check("model", "language model", models.language_model),
    Check("index", "manifest", index_checks.index_manifest),
    Check("index", "workspace", at_rest(index_checks.index_workspace)),
    Check("index", "model of vectors", at_rest(index_checks.vectors_of_model)),
    Check("index", "words", at_rest(index_checks.words)),
    Check("index", "vectors", at_rest(index_checks.vectors)),
    Check("index", "flat copy", at_rest(index_checks.flat)),
    Check("index", "embedding cache", index_checks.cache),
    Check("index", "sync", index_checks.sync, quick=True),
)
_ROUNDS = 20
"""Repairs of one check: each is tried once, and what it brought to light is treated too."""


def checks_of(*families: str) -> tuple[Check, ...]:
    """The checks of these families, in their order."""
    return tuple(check for check in CHECKS if check.family in families)


def examine(
    place: CheckSubject, *, fix: bool = False, checks: Sequence[Check] | None = None
) -> Iterator[CheckResult]:
    """The result of each check as it comes, by default of the doctor's; ``fix`` repairs what can be repaired.

    A check that fails is a finding of its own; nothing it meets ends the examination.
    """
    for check in checks_of(*DOCTOR) if checks is None else checks:
        yield _treated(check, place) if fix else _result(check, look_at(check, place))


def look_at(check: Check, place: CheckSubject) -> Look:
    """What one check sees. Never raises."""
    if place.is_past and check.family in DOCTOR:
        return Look("not looked at: this is memory as it was")
    try:
        return check.look(place)
    except WorkbenchError as error:
        return _failed("could not be looked at", f"the check itself failed: {error.message}", error.hint)
    except PermissionError as error:
        what = f"{error.filename or 'a file'} may not be read: {error.strerror}"
        return _failed("may not be looked at", what, "run the doctor as the owner of the workspace")
    except Exception as error:  # whatever it was, the person shall hear of it and of all other checks
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        return _failed("could not be looked at", f"the check itself failed: {reason}", "")


def repair(place: CheckSubject, name: str) -> tuple[bool, str]:
    """Repair what one of the doctor's checks finds: whether all of it was, and what was done, in words.

    No memory file is written. Raises UsageError for a check that there is not.
    """
    checks = [check for check in checks_of(*DOCTOR) if check.name == name]
    if not checks:
        raise UsageError(f"the doctor has no check {name}")
    findings = [finding for result in examine(place, fix=True, checks=checks) for finding in result.findings]
    done = [finding.fixed for finding in findings if finding.fixed]
    refused = [f"not repaired: {finding.refused}" for finding in findings if finding.refused]
    return not refused, "; ".join([*done, *refused]) or "there was nothing to repair any more"


def _failed(seen: str, what: str, do: str) -> Look:
    return Look(seen, (Finding(what=what, meaning="so this was not looked at", do=do),))


def _result(check: Check, look: Look, findings: Sequence[Finding] | None = None) -> CheckResult:
    found = look.findings if findings is None else tuple(findings)
    return CheckResult(name=check.name, family=check.family, seen=look.seen, findings=found, total=len(found))


def _treated(check: Check, place: CheckSubject) -> CheckResult:
    """Look, repair the first thing that can be repaired, and look again, until nothing more can be."""
    look = look_at(check, place)
    fixed: list[Finding] = []
    refused: dict[str, str] = {}
    for _ in range(_ROUNDS):
        due = next((f for f in look.findings if f.repair and f.what not in refused), None)
        if due is None:
            break
        done, why = _repaired(due)
        look = look_at(check, place)
        if done is not None and all(finding.what != due.what for finding in look.findings):
            fixed.append(replace(due, fixed=done))
        else:
            refused[due.what] = why or f"it is still so ({done})"
    left = (replace(finding, refused=refused.get(finding.what)) for finding in look.findings)
    return _result(check, look, (*fixed, *left))


def _repaired(finding: Finding) -> tuple[str | None, str | None]:
    """What the repair did, or why it could not."""
    assert finding.repair is not None
    try:
        require_more_than_looking()
        return finding.repair(), None
    except WorkbenchError as error:
        return None, error.message
    except OSError as error:
        return None, str(error)
