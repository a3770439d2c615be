"""How full MEMORY.md is, against its budget."""

from __future__ import annotations

from workbench.health.finding import Finding, Fix
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject

_NEAR = 0.9
"""Share of the budget from which it is said that it is nearly used up."""


def budget(subject: Subject) -> ReportSection:
    """The characters of MEMORY.md, and whether they are too many."""
    limit = subject.workspace.settings.memory_budget
    path = subject.workspace.memory_path()
    try:
        used = len(subject.workspace.document(path).data.decode("utf-8", "replace"))
    except FileNotFoundError:
        used = 0
    share = used / limit if limit else 0.0
    concerns = []
    if used > limit:
        concerns.append(
            Finding(
                severity="warning",
                what=f"{path} has {used:,} of {limit:,} characters",
                meaning="what is at its end may not be loaded by an agent",
                do="`workbench archive` takes the least valuable entries out; `--dry-run` shows which",
                address=path,
                fixes=(Fix(deed="archive", label="archive the least valuable entries"),),
            )
        )
    elif share >= _NEAR:
        concerns.append(
            Finding(
                severity="info",
                what=f"{path} is nearly full: {share:.0%} of its budget",
                meaning="dreaming proposes less, or to replace what is worth less",
                do="`workbench forget` or `workbench merge` what is not needed",
                address=path,
            )
        )
    return ReportSection(
        id="budget",
        title="Budget of MEMORY.md",
        seen=f"{used:,} of {limit:,}, {share:.0%}",
        facts=(("used", f"{used:,} of {limit:,} characters ({share:.0%})"),),
        concerns=tuple(concerns),
        total=len(concerns),
    )
