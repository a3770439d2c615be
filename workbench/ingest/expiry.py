"""Expiry: episodes have their time, which a person can lengthen, stop, or let take its course.

Nothing is lost by it: git keeps what was pruned, and undo brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from workbench.errors import NeedsConfirmationError, NotCuratableError, UsageError
from workbench.ingest.episodes import episode_named, episodes
from workbench.memory.clock_doubt import doubt
from workbench.memory.episode import FOLDER, Episode, countdown
from workbench.memory.episode_page import moment_text, with_recalls
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import set_front_matter
from workbench.memory.names import RelPath
from workbench.operations.pin import plan_pin
from workbench.safety.terminal import visible_line
from workbench.workspace.episode_recalls import Mark, recall_marks
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

FEW = 3
"""Episodes that may always go at once."""
MOST_SHARE = 0.5
"""Share of all episodes that may go at once, if they are more than a few."""
_COMMITS = 200
_LATEST = date(9000, 1, 1)
_NAMED = 5
_NO_ODDITY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryState:
    """The queue as expiry sees it.

    ``expired`` would be pruned, ``pinned`` have expired and stay. ``unclear`` are pages whose dates cannot be
    believed, each with the reason. ``doubts`` are why nothing should be pruned now.
    """

    expired: tuple[Episode, ...]
    pinned: tuple[Episode, ...]
    unclear: tuple[tuple[RelPath, str], ...]
    doubts: tuple[str, ...]


def due(workspace: Workspace, *, now: datetime) -> ExpiryState:
    """Which episodes have expired by ``now``, and whether that can be believed. Changes nothing."""
    today = _today(now)
    every = [one for one in episodes(workspace) if one.path.startswith(FOLDER)]
    unclear = tuple((one.path, why) for one in every if (why := _unclear(one, now)))
    odd = {path for path, _ in unclear}
    over = [one for one in every if one.path not in odd and one.expires_at and one.expires_at < today]
    expired = tuple(one for one in over if not one.pinned)
    doubts = [why] if (why := doubt(now, happened(workspace))) else []
    if len(expired) > FEW and len(expired) > MOST_SHARE * len(every):
        doubts.append(f"{len(expired):,} of {len(every):,} episodes would be removed at once")
    return ExpiryState(
        expired=expired,
        pinned=tuple(one for one in over if one.pinned),
        unclear=unclear,
        doubts=tuple(doubts),
    )


def plan_prune(
    workspace: Workspace, *, now: datetime, force: bool = False, reason: str = "", actor: str = "dreaming"
) -> Plan:
    """Remove all episodes that have expired and are not pinned, as one operation.

    Raises NotCuratableError where none has expired, and NeedsConfirmationError (unless ``force``) where the
    clock cannot be believed or most of the queue would go at once.
    """
    found = due(workspace, now=now)
    if found.doubts and not force and found.expired:
        raise NeedsConfirmationError(
            f"no episode was pruned: {'; '.join(found.doubts)}",
            hint="`workbench episodes list --expiring 0` shows them; `workbench episodes expire --force` "
            "removes them anyway, and can be undone",
        )
    notes = tuple(_notes(found))
    if not found.expired:
        raise NotCuratableError("no episode has expired", hint="; ".join(notes))
    paths = tuple(one.path for one in found.expired)
    some = f"{len(paths)} expired episodes" if len(paths) > 1 else f"{found.expired[0].abstract} (expired)"
    return Plan(
        action="expire",
        summary=some,
        edits=tuple(FileEdit(path, workspace.read(path), None) for path in paths),
        entries=paths,
        reason=reason or ("; ".join(found.doubts) and f"forced, though {'; '.join(found.doubts)}"),
        actor=actor,
        notes=notes,
    )


def plan_pin_episode(
    workspace: Workspace,
    names: Sequence[str],
    *,
    on: bool = True,
    reason: str = "",
    actor: str = "human",
) -> Plan:
    """Stop the clock of episodes, or let it run again (``on=False``). Names are ids, their beginnings, paths.

    Raises UsageError, and NotCuratableError where one says so already.
    """
    paths = [episode_named(workspace, name).path for name in names]
    return plan_pin(workspace, paths, on=on, reason=reason, actor=actor)


def plan_extend(
    workspace: Workspace,
    names: Sequence[str],
    *,
    now: datetime,
    days: int | None = None,
    until: date | None = None,
    reason: str = "",
    actor: str = "human",
) -> Plan:
    """Let episodes expire ``days`` later than they would, counted from today where they have expired, or
    on the day ``until``. What is known of their recalls is written with it.

    Raises UsageError, and NotCuratableError for a header that cannot say it.
    """
    if (days is None) == (until is None):
        raise UsageError("by a number of days, or to a date", hint="--days 30, or --until 2026-12-31")
    if days is not None and not 0 < days <= 36_500:
        raise UsageError(f"{days} is not a valid number of days", hint="from 1 to 36,500")
    today = _today(now)
    marks = recall_marks(workspace, now)
    edits, told = [], []
    for episode in dict.fromkeys(episode_named(workspace, name) for name in names):
        day = until or min(max(episode.expires_at or today, today), _LATEST) + timedelta(days=days or 0)
        if not today <= day <= _LATEST:
            raise UsageError(f"{day} is not a valid expiry date", hint=f"from {today} to {_LATEST}")
        edits.append(_extended(workspace, episode, day, marks.get(episode.path)))
        told.append(f"{visible_line(episode.id)} expires on {day}")
    return Plan(
        action="extend",
        summary=told[0] if len(told) == 1 else f"{len(told)} episodes",
        edits=tuple(edits),
        entries=tuple(edit.path for edit in edits),
        became=tuple(edit.path for edit in edits),
        reason=reason,
        actor=actor,
        notes=tuple(told) if len(told) > 1 else (),
    )


def expiring(found: Episode, days: int, now: datetime) -> bool:
    """Whether an episode has at most ``days`` left, or none."""
    left = found.days_left(_today(now))
    return left is not None and left <= days


def time_left(episode: Episode, now: datetime) -> str:
    """``expires in 12 days``: see ``memory.episode.countdown``."""
    return countdown(episode, _today(now))


def happened(workspace: Workspace) -> Iterator[datetime]:
    """When something is known to have happened here: the newest commits, and changes of memory files."""
    commits = islice(workspace.history.commits(), _COMMITS)
    yield from (commit.when for commit in commits)
    for file in workspace.scan():
        try:
            yield datetime.fromtimestamp(file.ctime_ns / 1e9, UTC)
        except (OverflowError, OSError, ValueError):
            continue


def _today(now: datetime) -> date:
    """The day in UTC, as the headers say theirs."""
    return now.astimezone(UTC).date()


def _unclear(episode: Episode, now: datetime) -> str | None:
    """Why the dates of an episode cannot be believed; it is left alone then."""
    if episode.problem:
        return episode.problem
    if episode.expires_at is None:
        return "it does not say when it expires"
    made = episode.created_at
    if made and episode.expires_at < made:
        return "it expires before it was made"
    if made and datetime.combine(made, time(), UTC) > now + _NO_ODDITY:
        return "it was made in the future"
    if made and episode.ended_at and episode.ended_at.date() - made > _NO_ODDITY:
        return "it was made before its session ended: a clock was wrong"
    return None


def _notes(found: ExpiryState) -> Iterator[str]:
    if found.unclear:
        shown = [f"{visible_line(path)}: {why}" for path, why in found.unclear[:_NAMED]]
        more = [f"and {len(found.unclear) - _NAMED} more"] if len(found.unclear) > _NAMED else []
        yield f"not changed: {'; '.join([*shown, *more])}"
    if found.pinned:
        yield f"expired, and kept because they are pinned: {len(found.pinned)}"
    unkept = sum(one.promoted_at is None for one in found.expired)
    if unkept:
        yield f"of which nothing was promoted: {unkept} of {len(found.expired)}"


def _extended(workspace: Workspace, episode: Episode, day: date, mark: Mark | None) -> FileEdit:
    before = workspace.read(episode.path)
    try:
        after = set_front_matter(before, "expires_at", moment_text(datetime.combine(day, time(), UTC)))
    except ValueError:
        after = before
    if after == before:
        said = "says so already" if episode.expires_at == day else "cannot say when it expires"
        raise NotCuratableError(
            f"the header of {visible_line(episode.path)} {said}", hint="nothing was changed"
        )
    if mark is not None:
        after = with_recalls(after, mark.count, mark.last)
    return FileEdit(episode.path, before, after)
