"""The report: its sections in order, the quick ones first, each guarded by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workbench.errors import UsageError, WorkbenchError
from workbench.health.checks import CHECKS
from workbench.health.doctor import examine
from workbench.health.report import (
    doctor_section,
    index_section,
    jobs,
    lint_section,
    recall_section,
    safety_section,
    size_section,
    usage_section,
)
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.health.report.topics import TITLES
from workbench.health.subject import CheckSubject
from workbench.safety.secrets import masked

Look = Callable[[Subject], ReportSection]
LOOKS: Mapping[str, Look] = {
    "index": index_section.index,
    "backup": safety_section.backup,
    "jobs": jobs.jobs,
    "dreams": safety_section.dreams,
    "leftovers": safety_section.leftovers,
    "episodes": usage_section.expiring,
    "recalls": usage_section.recalls,
    "decay": usage_section.decay,
    "budget": size_section.budget,
    "secrets": lint_section.secrets,
    "hidden": lint_section.hidden,
    "contradictions": lint_section.contradicting,
    "links": lint_section.dead_links,
    "other": lint_section.other,
    "duplicates": lint_section.twice,
    "tests": recall_section.recall_tests,
    "machine": doctor_section.machine,
    "workspace": doctor_section.workspace,
    "model": doctor_section.models,
    "index-files": doctor_section.index_files,
}


def topics_named(names: Sequence[str]) -> tuple[str, ...]:
    """These topics in their own order; all of them without a name. Raises UsageError."""
    for name in names:
        if name not in TITLES:
            raise UsageError(f"there is no section {name}", hint="known: " + ", ".join(TITLES))
    return tuple(topic for topic in TITLES if not names or topic in names)


def look(subject: Subject, topic: str) -> ReportSection:
    """One section. Secrets are masked in all that it says, whatever it is about."""
    try:
        return _masked(replace(LOOKS[topic](subject), id=topic, title=TITLES[topic]))
    except WorkbenchError as error:
        why = f"{error.message}: {error.hint}" if error.hint else error.message
    except Exception as error:  # whatever it was, all other sections are to be seen
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
    return ReportSection(id=topic, title=TITLES[topic], seen="could not be looked at", failed=masked(why))


def repair(place: CheckSubject, check: str) -> tuple[bool, str]:
    """Have the doctor repair what one check finds: whether all of it was, and what was done, in words.

    No memory file is written. Raises UsageError for a check that there is not.
    """
    checks = [one for one in CHECKS if one.name == check]
    if not checks:
        raise UsageError(f"the doctor has no check {check}")
    findings = [f for outcome in examine(place, fix=True, checks=checks) for f in outcome.findings]
    done = [f.fixed for f in findings if f.fixed]
    refused = [f"not repaired: {f.refused}" for f in findings if f.refused]
    return not refused, "; ".join([*done, *refused]) or "there was nothing to repair any more"


def _masked(section: ReportSection) -> ReportSection:
    concerns = (
        replace(one, what=masked(one.what), meaning=masked(one.meaning), do=masked(one.do),
                fixes=tuple(replace(fix, label=masked(fix.label)) for fix in one.fixes))
        for one in section.concerns
    )  # fmt: skip
    return replace(
        section,
        concerns=tuple(concerns),
        seen=masked(section.seen),
        facts=tuple((name, masked(value)) for name, value in section.facts),
        notes=tuple(map(masked, section.notes)),
    )
