"""What the doctor finds, family by family, with its repairs."""

from __future__ import annotations

from dataclasses import replace

from workbench.health.checks import CHECKS
from workbench.health.doctor import examine
from workbench.health.finding import CheckOutcome, Finding, Fix, gravest_first
from workbench.health.format_checks import MIGRATE
from workbench.health.rebuild import REINDEX
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject

_TITLES = {
    "machine": "Machine",
    "workspace": "Workspace and repository",
    "model": "Models",
    "index": "Files of the index",
}


def machine(subject: Subject) -> ReportSection:
    """Python, libraries, git, terminal, disk and clock."""
    return _family(subject, "machine")


def workspace(subject: Subject) -> ReportSection:
    """Settings, repository, permissions, locks, what was interrupted, the ledger."""
    return _family(subject, "workspace")


def models(subject: Subject) -> ReportSection:
    """The model of vectors, its provider, and the language model."""
    return _family(subject, "model")


def index_files(subject: Subject) -> ReportSection:
    """Manifest, words, vectors, the flat copy and the cache."""
    return _family(subject, "index")


def _family(subject: Subject, family: str) -> ReportSection:
    title = _TITLES[family]
    if subject.is_past:
        return ReportSection(
            id=family, title=title, seen="not looked at", notes=("this is memory as it was",)
        )
    checks = [check for check in CHECKS if check.family == family]
    outcomes = list(examine(subject.place, checks=checks))
    concerns = [concern_of(outcome, finding) for outcome in outcomes for finding in outcome.findings]
    wanting = sum(outcome.state == "finding" for outcome in outcomes)
    return ReportSection(
        id=family,
        title=title,
        seen=f"{len(outcomes) - wanting} of {len(outcomes)} fine",
        facts=tuple((outcome.check.name, outcome.seen) for outcome in outcomes),
        concerns=tuple(gravest_first(concerns)),
        total=len(concerns),
    )


def concern_of(outcome: CheckOutcome, finding: Finding) -> Finding:
    """A finding of the doctor's; its repair is one for all findings of the same check."""
    fixes = []
    if finding.repair is not None:
        fixes.append(Fix(deed="repair", label=f"repair it: {outcome.check.name}", of=outcome.check.name))
    elif finding.do == REINDEX:
        fixes.append(Fix(deed="reindex", label="bring the index up to date"))
    elif finding.do == MIGRATE:
        fixes.append(Fix(deed="migrate", label="bring it to today's format"))
    elif outcome.check.name == "settings":
        fixes.append(Fix(deed="open", label="open the settings", of="settings"))
    return replace(
        finding,
        what=f"{outcome.check.name}: {finding.what}",
        do=finding.do.replace("--fix", "`workbench doctor --fix`") if finding.repair else finding.do,
        fixes=tuple(fixes),
        repair=None,
    )
