"""What keeps memory safe, and what waits: backups, dreams, conflicts and leftovers."""

from __future__ import annotations

import contextlib
import os
from datetime import datetime

from workbench.backup.incremental import operations_since, remembered
from workbench.backup.targets import without_secret
from workbench.dreaming.proposals.inbox import waiting
from workbench.health.finding import Finding, Fix
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.plural import plural
from workbench.workspace.layout import is_quarantined

_OLD_DAYS = 30
_ELSEWHERE = Fix(deed="backup", label="back up to a place that you name", of="DIR")
_MANY = 50
"""Operations after which a backup is called behind."""


def backup(subject: Subject) -> ReportSection:
    """The last backup, and what it does not hold."""
    last = remembered(subject.workspace)
    if last is None:
        concern = Finding(
            severity="warning",
            what="no backup was ever made from here",
            meaning="this folder and its git history are the only copy that is known",
            do="`workbench backup DIR`: a folder on another disk, or a remote",
            fixes=(_ELSEWHERE,),
        )
        return ReportSection(id="backup", title="Backup", seen="never", concerns=(concern,), total=1)
    since = operations_since(subject.workspace, last)
    days, when = None, last.when
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        moment = datetime.fromisoformat(last.when).astimezone()
        days, when = (subject.now - moment).days, f"{moment:%Y-%m-%d %H:%M}"
    target = without_secret(last.target)
    behind = "the history was rewritten since" if since is None else f"{plural(since, 'operation')} since"
    shortly = "rewritten since" if since is None else f"{since:,} since" if since else "nothing since"
    missing = "not known: the history was rewritten" if since is None else f"{plural(since, 'operation')}"
    concerns = []
    if since is None or since >= _MANY or (since and days is not None and days >= _OLD_DAYS):
        concerns.append(
            Finding(
                severity="warning",
                what=f"the last backup is of {when}: {behind}",
                meaning="what came since is on this disk alone",
                do=f"`workbench backup {target}`",
                fixes=(Fix(deed="backup", label=f"back up to {target} again"), _ELSEWHERE),
            )
        )
    return ReportSection(
        id="backup",
        title="Backup",
        seen=f"{when}, {shortly}",
        facts=(
            ("last", when),
            ("to", target),
            ("holds commit", last.commit[:12]),
            ("not backed up", missing),
        ),
        concerns=tuple(concerns),
        total=len(concerns),
    )


def dreams(subject: Subject) -> ReportSection:
    """The last dream, and what it proposed that waits."""
    files = subject.workspace.scan()
    last = max((file.path for file in files if file.path.startswith("_system/dreaming/")), default=None)
    every = waiting(subject.workspace, subject.now)
    open_ = [one for one in every if not one.stale and not one.hidden(subject.now)]
    stale = sum(bool(one.stale) for one in every)
    concerns = []
    if open_:
        concerns.append(
            Finding(
                severity="info",
                what=f"{len(open_):,} proposal{'s wait' if len(open_) != 1 else ' waits'} for a decision",
                meaning="nothing of it becomes memory before a person accepts it",
                do="decide in the dream review; `workbench inbox list` shows them too",
                fixes=(Fix(deed="open", label="open the dream review", of="proposals"),),
            )
        )
    return ReportSection(
        id="dreams",
        title="Dreams",
        seen=f"{len(open_):,} waiting" if last else "no dream yet",
        facts=(
            ("waiting", f"{plural(len(open_), 'proposal')}"),
            ("deferred", f"{sum(one.hidden(subject.now) for one in every):,}"),
            ("stale", f"{stale:,}: what they are about is gone"),
            ("last dream", last or "never"),
        ),
        concerns=tuple(concerns),
        total=len(concerns),
    )


def leftovers(subject: Subject) -> ReportSection:
    """Texts of other writers that are in no memory file, what was displaced, and what is set aside."""
    kept = subject.workspace.operations.conflicts()
    concerns = [
        Finding(
            severity="error",
            what=f"{path.name} holds text of another writer that is in no memory file",
            meaning="two wrote in the same moment, and this one's text fitted nowhere",
            do=f"bring in what is missing: `workbench inbox conflicts --show {number}` shows it",
            fixes=(Fix(deed="open", label="see it beside its file", of="conflicts"),),
        )
        for number, path in enumerate(kept, 1)
    ]
    displaced = len(subject.workspace.operations.late())
    aside = _count(subject, "set-aside")
    quarantined = _quarantined(subject)
    return ReportSection(
        id="leftovers",
        title="Conflicts and leftovers",
        seen=f"{plural(len(kept), 'conflict')}, {quarantined:,} set aside" if kept or quarantined else "none",
        facts=(
            ("conflicts", f"{len(kept):,}"),
            ("displaced", f"{plural(displaced, 'replaced file')} that a program may still write into"),
            ("quarantine", f"{plural(quarantined, 'page')} that no agent is given"),
            ("set aside by repairs", f"{plural(aside, 'file')} below .workbench/set-aside"),
        ),
        concerns=tuple(concerns),
        total=len(concerns),
    )


def _count(subject: Subject, name: str) -> int:
    try:
        return sum(1 for _ in os.scandir(subject.place.state / name))
    except OSError:
        return 0


def _quarantined(subject: Subject) -> int:
    folder = subject.workspace.root / "_system" / "quarantine"
    count = 0
    for place, _, names in os.walk(folder):
        below = os.path.relpath(place, subject.workspace.root)
        count += sum(is_quarantined(f"{below}/{name}") for name in names)
    return count
