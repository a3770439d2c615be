"""What is used and what fades: recalls, what decay will drop, and episodes that expire."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from workbench.errors import WorkbenchError
from workbench.graph.decay import FORGET_BELOW, Fading
from workbench.health.fading import DAYS as LATER
from workbench.health.fading import fading_finding, fading_soon
from workbench.health.finding import Finding, Fix, gravest_first
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.health.usage import Often, never_recalled
from workbench.memory.address import find_entry, path_of
from workbench.memory.entry import Entry
from workbench.memory.episode import Episode, countdown
from workbench.plural import plural

SOON = 14
"""Days ahead within which what expires needs a look; within ``LATER`` it is told of at all."""
_LISTED = 200
_OWN = 10
"""Episodes that are listed with their own count, those with the most recalls first."""
_TITLE = 80


def recalls(subject: Subject) -> ReportSection:
    """What agents were given: this week, the most often, and what of MEMORY.md never.

    What is recorded here has a moment and an entry each. Episodes that another program wrote bring a count of
    their own: what it has beyond the record is told beside it.
    """
    found = subject.recalled
    entries = _curated(subject)
    never = never_recalled(found, entries)
    own = [one for one in subject.episodes[0] if one.recall_count > found.episodes.get(one.path, 0)]
    own.sort(key=lambda one: (-one.recall_count, one.path))
    told = sum(one.recall_count - found.episodes.get(one.path, 0) for one in own)
    concerns = [_often(subject, one) for one in found.often]
    concerns += [_by_its_own_count(one) for one in own[:_OWN]]
    if found.total:
        concerns += [_never(entry) for entry in never[:_LISTED]]
    seen = f"{told:,}, as episodes say" if told else "nothing was recalled yet"
    if found.total:
        seen = f"{plural(found.total, 'recall')}; {found.this_week:,} this week"
    unnamed = f"{len(never):,} of {len(entries):,} entries of MEMORY.md"
    return ReportSection(
        id="recalls",
        title="Recalls",
        seen=seen,
        facts=(
            ("recorded", f"{plural(found.total, 'recall')}"),
            *([("by episodes", f"{told:,} more, counted by {len(own):,} of them")] if told else []),
            ("never recalled", unnamed if found.total else "not known: no recall was recorded here"),
        ),
        concerns=tuple(concerns),
        total=len(found.often) + len(own) + (len(never) if found.total else 0),
        notes=found.notes,
    )


def decay(subject: Subject) -> ReportSection:
    """What decay will propose to forget, and when."""
    ahead = fading_soon(subject.workspace, subject.today)
    due = sum(one.on <= subject.today for one in ahead)
    return ReportSection(
        id="decay",
        title="Decay",
        seen=f"{due:,} faded, {len(ahead) - due:,} more in {LATER} days" if ahead else "nothing fades soon",
        facts=(
            (
                "faded",
                f"{plural(due, 'memory')} below {FORGET_BELOW}: the next night proposes to forget them",
            ),
            (f"within {SOON} days", f"{_until(ahead, subject.today, SOON) - due:,}"),
            (f"within {LATER} days", f"{len(ahead) - due:,}"),
        ),
        concerns=tuple(fading_finding(one, subject.today) for one in ahead[:_LISTED]),
        total=len(ahead),
    )


def expiring(subject: Subject) -> ReportSection:
    """Episodes whose time is over, or is soon."""
    every, failed = subject.episodes
    given = subject.recalled.episodes
    soon = [
        (left, one) for one in every if (left := one.days_left(subject.today)) is not None and left <= LATER
    ]
    soon.sort(key=lambda item: (item[0], item[1].path))
    over = sum(left < 0 for left, _ in soon)
    pinned = sum(one.pinned for one in every)
    concerns = gravest_first([_expiring(one, left, subject.today, _times(one, given)) for left, one in soon])
    return ReportSection(
        id="episodes",
        title="Expiring episodes",
        seen=f"{over:,} over, {len(soon) - over:,} in {LATER} days" if soon else "none expires soon",
        facts=(
            ("episodes", f"{len(every):,}, {pinned:,} of them pinned"),
            ("over", f"{over:,}"),
            (f"within {SOON} days", f"{sum(0 <= left <= SOON for left, _ in soon):,}"),
            (f"within {LATER} days", f"{len(soon) - over:,}"),
        ),
        concerns=tuple(concerns[:_LISTED]),
        total=len(concerns),
        notes=(f"{plural(failed, 'episode')} could not be read",) if failed else (),
    )


def _curated(subject: Subject) -> list[Entry]:
    try:
        return list(subject.workspace.memory_document().entries)
    except (WorkbenchError, OSError):
        return []


def _often(subject: Subject, one: Often) -> Finding:
    path = path_of(one.address) or one.address
    try:
        title = find_entry(subject.workspace.document(path), one.address).plain_title[:_TITLE]
    except (WorkbenchError, OSError):
        return Finding(
            severity="info",
            what=f"recalled {plural(one.times, 'time')}, last on {one.last}; it is not there any more",
            meaning="it was edited, moved or removed since",
            do=f"`workbench show {one.address}` looks for it in the history",
            address=path,
        )
    return Finding(
        severity="info",
        what=f"recalled {plural(one.times, 'time')}, last on {one.last}: {title}",
        meaning="one of those that agents were given most often",
        address=one.address,
    )


def _times(one: Episode, given: Mapping[str, int]) -> int:
    """How often an episode was recalled: by the record or by its own count, whichever is the higher."""
    return max(one.recall_count, given.get(one.path, 0))


def _how_often(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"


def _by_its_own_count(one: Episode) -> Finding:
    last = f", last on {one.last_recalled_at.date()}" if one.last_recalled_at else ""
    return Finding(
        severity="info",
        what=f"recalled {_how_often(one.recall_count)}{last}, by its own count: {one.abstract[:_TITLE]}",
        meaning="the page itself says so; for which questions and to whom is not recorded here",
        address=one.path,
        line=1,
    )


def _never(entry: Entry) -> Finding:
    return Finding(
        severity="info",
        what=f"never recalled: {entry.plain_title[:_TITLE]}",
        meaning="no agent was given it for a question; it takes room in every session",
        do="leave it, or `workbench forget` it",
        address=entry.address,
        line=entry.start_line,
        fixes=(
            Fix(deed="forget", label="forget it", addresses=(entry.address,)),
            Fix(deed="edit", label="edit it", addresses=(entry.address,)),
        ),
    )


def _until(ahead: tuple[Fading, ...], today: date, days: int) -> int:
    return sum((one.on - today).days <= days for one in ahead)


def _expiring(one: Episode, left: int, today: date, times: int) -> Finding:
    kept = "it was promoted" if one.promoted_at else "nothing of it was promoted"
    recalled = f"recalled {_how_often(times)}" if times else "never recalled"
    fixes = [
        Fix(deed="extend", label="let it stay 30 days longer", addresses=(one.path,)),
        Fix(deed="pin", label="pin it: it never expires", addresses=(one.path,)),
    ]
    if left < 0:
        fixes.append(Fix(deed="expire", label="let all expired episodes go"))
    return Finding(
        severity="warning" if left <= SOON and not one.promoted_at else "info",
        what=f"{countdown(one, today)}: {one.abstract[:_TITLE]}",
        meaning=f"{kept}; {recalled}. A night removes it when its time is over; git keeps it",
        do="`workbench promote` what should last; `workbench episodes extend` or `pin` keeps the episode",
        address=one.path,
        line=1,
        fixes=tuple(fixes),
    )
