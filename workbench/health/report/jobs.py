"""The jobs that a clock runs: how each stands, and what mends one that failed or did not come."""

from __future__ import annotations

from workbench.health.finding import Finding, Severity
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.jobs.job_status import JobStatus, standings
from workbench.jobs.names import Job
from workbench.plural import plural

_QUIET_NIGHTS = 3


def jobs(subject: Subject) -> ReportSection:
    """Every job that there is."""
    found = standings(subject.place.state, subject.now)
    concerns = [concern for one in found for concern in _concerns(one, subject)]
    wrong = sum(one.wrong for one in found)
    ran = sum(one.last is not None for one in found)
    fine = "all are well" if ran else "none was run here"
    return ReportSection(
        id="jobs",
        title="Jobs",
        seen=f"{wrong} to look at" if wrong else fine,
        facts=tuple((one.job.command, one.line) for one in found),
        concerns=tuple(concerns),
        total=len(concerns),
    )


def _concerns(one: JobStatus, subject: Subject) -> list[Finding]:
    if one.wrong:
        meaning = {
            "failing": "it goes on, and tries again what fails",
            "killed": "it did not come to its end; what it had done by then is there",
        }.get(one.state, "what it does was not done, or not all of it")
        severity: Severity = "warning" if one.overdue else "error"
        return [Finding(severity=severity, what=one.sentence, meaning=meaning, do=one.mends)]
    if one.job is Job.NIGHTLY and one.last is not None and one.state != "running":
        quiet = (subject.now - one.last.began).days
        if quiet >= _QUIET_NIGHTS:
            return [
                Finding(
                    severity="warning",
                    what=f"the last nightly run was {plural(quiet, 'day')} ago",
                    meaning="what expires, fades or is worth keeping is not looked at",
                    do="`workbench jobs run nightly` runs it now; "
                    "`workbench jobs print` shows how to have it run every night",
                )
            ]
    return []
