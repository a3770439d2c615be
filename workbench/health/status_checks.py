"""What the health screen tells beside doctor and check: backup, jobs, what waits, and what is recalled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime, timedelta

from workbench.agent.usage import dominance
from workbench.backup.incremental import operations_since, remembered
from workbench.backup.targets import without_secret
from workbench.dreaming.proposals.inbox import pending
from workbench.errors import NotMemoryError
from workbench.health.finding import Figure, Finding, Fix, Look, Severity
from workbench.health.memory_checks import fix_of
from workbench.health.subject import CheckSubject
from workbench.jobs.job_status import JobStatus, standings
from workbench.jobs.names import Job
from workbench.jobs.run_log import runs
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.episode import read_episode
from workbench.plural import plural

_OLD_DAYS = 30
_MANY = 50
"""Operations after which a backup is called behind."""
_QUIET_NIGHTS = 3
_LATEST = {
    "success": ("success_timestamp_seconds", "When a run ended well, or went well for the last time."),
    "failure": ("failure_timestamp_seconds", "When a run failed the last time."),
    "start": ("start_timestamp_seconds", "When the last run began."),
    "duration": ("duration_seconds", "How long the last run took that came to its end."),
}
_EVER = 36_500
"""Days: every recall that was ever recorded."""
_WEEK = 7


def backup(place: CheckSubject) -> Look:
    """The last backup, and what it does not hold."""
    elsewhere = Fix(deed="backup", label="back up to a place that you name", of="DIR")
    last = remembered(place.workspace)
    if last is None:
        finding = Finding(
            severity="warning",
            what="no backup was ever made from here",
            meaning="this folder and its git history are the only copy that is known",
            do="`workbench backup DIR`: a folder on another disk, or a remote",
            fixes=(elsewhere,),
        )
        return Look("never", (finding,))
    since = operations_since(place.workspace, last)
    age, when = timedelta(0), last.when
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        made = datetime.fromisoformat(last.when).astimezone()
        age, when = place.moment - made, f"{made:%Y-%m-%d %H:%M}"
    target = without_secret(last.target)
    behind = "the history was rewritten since" if since is None else f"{plural(since, 'operation')} since"
    findings: tuple[Finding, ...] = ()
    if since is None or since >= _MANY or (since and age.days >= _OLD_DAYS):
        findings = (
            Finding(
                severity="warning",
                what=f"the last backup is of {when}: {behind}",
                meaning="what came since is on this disk alone",
                do=f"`workbench backup {target}`",
                fixes=(Fix(deed="backup", label=f"back up to {target} again"), elsewhere),
            ),
        )
    return Look(f"{when}, {behind}, to {target}", findings)


def jobs(place: CheckSubject) -> Look:
    """The jobs that a clock runs: how each stands, and what mends one that failed or did not come."""
    found = standings(place.state, place.moment)
    findings = tuple(finding for one in found if (finding := _job(one, place.moment)))
    ran = [one for one in found if one.last is not None]
    seen = "; ".join(f"{one.job.command}: {one.line}" for one in ran) or "none was run here"
    figures = tuple(figure for one in ran for figure in _job_figures(place, one))
    return Look(seen, findings, figures)


def _job(one: JobStatus, now: datetime) -> Finding | None:
    if one.wrong:
        meaning = {
            "failing": "it goes on, and tries again what fails",
            "killed": "it did not come to its end; what it had done by then is there",
        }.get(one.state, "what it does was not done, or not all of it")
        severity: Severity = "warning" if one.overdue else "error"
        return Finding(severity=severity, what=one.sentence, meaning=meaning, do=one.mends)
    quiet = (now - one.last.began).days if one.last and one.state != "running" else 0
    if one.job is not Job.NIGHTLY or quiet < _QUIET_NIGHTS:
        return None
    return Finding(
        severity="warning",
        what=f"the last nightly run was {plural(quiet, 'day')} ago",
        meaning="what expires, fades or is worth keeping is not looked at",
        do="`workbench jobs run nightly` runs it now; "
        "`workbench jobs print` shows how to have it run every night",
    )


def _job_figures(place: CheckSubject, one: JobStatus) -> Iterator[Figure]:
    """How the job stands, and the newest of each moment that its kept runs know."""
    label = (("job", one.job.value),)
    newest: dict[str, float] = {}
    for run in runs(place.state, one.job):
        newest["start"] = run.began.timestamp()
        if run.state == "running":
            newest["failure" if run.error else "success"] = place.moment.timestamp()
        if run.ended is None:
            continue
        if run.seconds is not None:
            newest["duration"] = run.seconds
        if run.state == "failed":
            newest["failure"] = run.ended.timestamp()
        elif run.state == "done" or (run.job.lasting and not run.error):
            newest["success"] = run.ended.timestamp()
    for what, value in newest.items():
        name, told = _LATEST[what]
        yield Figure(f"job_last_{name}", told, value, label)
    failing = "1 where the job is not well: failed, killed, overdue or meeting errors."
    yield Figure("job_failing", failing, float(one.wrong), label)
    runs_now = one.state in ("running", "failing")
    yield Figure("job_running", "1 while the job runs, as of when this was written.", float(runs_now), label)
    for step in one.failed:
        failed = "1 for each step whose last attempt failed."
        yield Figure("job_step_failing", failed, 1.0, (*label, ("step", step.name)))


def inbox(place: CheckSubject) -> Look:
    """The last dream, and the proposals that wait for a decision."""
    dreams = (file.path for file in place.workspace.scan() if file.path.startswith("_system/dreaming/"))
    count = len(pending(place.workspace, place.moment))
    findings: tuple[Finding, ...] = ()
    if count:
        findings = (
            Finding(
                severity="info",
                what=f"{plural(count, 'proposal')} waiting for a decision",
                meaning="nothing of it becomes memory before a person accepts it",
                do="decide in the dream review; `workbench inbox list` shows them too",
                fixes=(Fix(deed="open", label="open the dream review", of="proposals"),),
            ),
        )
    seen = f"{count:,} waiting; last dream: {max(dreams, default='never')}"
    figure = Figure("proposals_pending", "Proposals that wait for a person.", count)
    return Look(seen, findings, (figure,))


def recalls(place: CheckSubject) -> Look:
    """How much of memory agents were given, and what of MEMORY.md never.

    Episodes that another program wrote bring a count of their own, which is told beside it.
    """
    given = dominance(place.workspace, place.moment, _EVER)
    week = dominance(place.workspace, place.moment, _WEEK).answers
    try:
        curated = [one for one in place.workspace.memory_document().entries if one.form in _FORMS]
    except (NotMemoryError, OSError):
        curated = []
    known = given.claims | {share.entry for share in given.shares}
    never = [one for one in curated if one.address not in known and claim_key(one.text) not in known]
    said = [f"{plural(given.answers, 'answer')}, {week:,} of them this week"]
    if given.answers:
        said.append(f"{len(never):,} of {plural(len(curated), 'entry')} of MEMORY.md in none of them")
    pages = (page for page in place.corpus.documents if page.kind is Kind.EPISODE)
    if counted := sum(read_episode(page).recall_count for page in pages):
        said.append(f"episodes count {plural(counted, 'recall')} of their own")
    return Look("; ".join(said), tuple(map(_never, never)) if given.answers else ())


_FORMS = (Form.ITEM, Form.PARAGRAPH)


def _never(entry: Entry) -> Finding:
    return Finding(
        severity="info",
        what=f"never recalled: {entry.plain_title[:80]}",
        meaning="no agent was given it for a question; it takes room in every session",
        do="leave it, or `workbench forget` it",
        path=entry.path,
        line=entry.start_line,
        entry=entry.address,
        fixes=(fix_of(entry, "forget"), fix_of(entry, "edit")),
    )
