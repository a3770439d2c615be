"""What the health screen tells beside doctor and check: backup, jobs, what waits, and what is recalled."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta

from workbench.agent.usage import dominance
from workbench.backup.bundles import operations_since, remembered
from workbench.backup.targets import without_secret
from workbench.dreaming.proposals.inbox import pending
from workbench.errors import NotMemoryError
from workbench.health.finding import Finding, Fix, Look
from workbench.health.subject import CheckSubject, about, fix_of, shown
from workbench.jobs.job_status import JobStatus, standings
from workbench.jobs.runs import Job
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.episode import read_episode
from workbench.plural import plural

_OLD = timedelta(days=30)
_MANY = 50
"""Operations after which a backup is called behind."""
_QUIET_NIGHTS = 3
_EVER = 36_500
"""Days: every recall that was ever recorded."""
_WEEK = 7


def backup(subject: CheckSubject) -> Look:
    """The last backup, and what it does not hold."""
    elsewhere = Fix("backup", "back up to a place that you name", of="DIR")
    last = remembered(subject.workspace)
    if last is None:
        yield "never"
        yield Finding(
            "no backup was ever made from here",
            "this folder and its git history are the only copy that is known",
            "`workbench backup DIR`: a folder on another disk, or a remote",
            "warning",
            fixes=(elsewhere,),
        )
        return
    since = operations_since(subject.workspace, last)
    age, when = timedelta(0), last.when
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        made = datetime.fromisoformat(last.when).astimezone()
        age, when = subject.moment - made, f"{made:%Y-%m-%d %H:%M}"
    target = without_secret(last.target)
    behind = "the history was rewritten since" if since is None else f"{plural(since, 'operation')} since"
    yield f"{when}, {behind}, to {target}"
    if since is None or since >= _MANY or (since and age >= _OLD):
        yield Finding(
            f"the last backup is of {when}: {behind}",
            "what came since is on this disk alone",
            f"`workbench backup {target}`",
            "warning",
            fixes=(Fix("backup", f"back up to {target} again"), elsewhere),
        )


def jobs(subject: CheckSubject) -> Look:
    """The jobs that a clock runs: how each stands, and what mends one that failed or did not come."""
    found = standings(subject.state, subject.moment)
    ran = [f"{one.job.command}: {one.line}" for one in found if one.last is not None]
    yield "; ".join(ran) or "none was run here"
    for one in found:
        if one.wrong:
            yield _failing_job(one)
        elif one.job is Job.NIGHTLY and one.last and one.state != "running":
            quiet = (subject.moment - one.last.began).days
            if quiet >= _QUIET_NIGHTS:
                yield Finding(
                    f"the last nightly run was {plural(quiet, 'day')} ago",
                    "what expires, fades or is worth keeping is not looked at",
                    "`workbench jobs run nightly` runs it now; "
                    "`workbench jobs print` shows how to have it run every night",
                    "warning",
                )


def _failing_job(one: JobStatus) -> Finding:
    meaning = "what it does was not done, or not all of it"
    if one.state == "failing":
        meaning = "it goes on, and tries again what fails"
    elif one.state == "killed":
        meaning = "it did not come to its end; what it had done by then is there"
    return Finding(one.sentence, meaning, one.mends, "warning" if one.overdue else "error")


def inbox(subject: CheckSubject) -> Look:
    """The last dream, and the proposals that wait for a decision."""
    dreams = (file.path for file in subject.workspace.scan() if file.path.startswith("_system/dreaming/"))
    count = len(pending(subject.workspace, subject.moment))
    yield f"{count:,} waiting; last dream: {max(dreams, default='never')}"
    if count:
        yield Finding(
            f"{plural(count, 'proposal')} waiting for a decision",
            "nothing of it becomes memory before a person accepts it",
            "decide in the inbox; `workbench inbox list` shows them too",
            "info",
            fixes=(Fix("open", "open the inbox", of="proposals"),),
        )


def recalls(subject: CheckSubject) -> Look:
    """How much of memory agents were given, and what of MEMORY.md never.

    Episodes that another program wrote bring a count of their own, which is told beside it.
    """
    given = dominance(subject.workspace, subject.moment, _EVER)
    week = dominance(subject.workspace, subject.moment, _WEEK).answers
    curated = _curated(subject)
    never = [one for one in curated if not given.has(one)]
    yield f"{plural(given.answers, 'answer')}, {week:,} of them this week"
    if given.answers:
        yield f"{len(never):,} of {plural(len(curated), 'entry')} of MEMORY.md in none of them"
    episodes = (page for page in subject.corpus.documents if page.kind is Kind.EPISODE)
    if counted := sum(read_episode(page).recall_count for page in episodes):
        yield f"episodes count {plural(counted, 'recall')} of their own"
    for entry in never if given.answers else ():
        yield about(
            entry,
            "",
            f"never recalled: {shown(entry.title)}",
            "no agent was given it for a question; it takes room in every session",
            "leave it, or `workbench forget` it",
            "info",
            fixes=(fix_of(entry, "forget"), fix_of(entry, "edit")),
        )


def _curated(subject: CheckSubject) -> list[Entry]:
    try:
        entries = subject.workspace.memory_document().entries
    except (NotMemoryError, OSError):
        return []
    return [entry for entry in entries if entry.form in (Form.ITEM, Form.PARAGRAPH)]
