"""The episodic queue: list, show, pin, unpin, extend, expire."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.bulk_selection import yes_option
from workbench.cli.operation_command import command_of
from workbench.cli.output import agree, json_option, narrate, narrate_notes, say, say_json
from workbench.cli.run_operation import act, dry_run_option, reason_option
from workbench.cli.team import whose
from workbench.cli.workspace_options import workspace
from workbench.errors import ConflictError
from workbench.ingest.operations import OPERATIONS
from workbench.plural import plural
from workbench.safety.terminal import cut, visible
from workbench.workspace.plan import Plan

if TYPE_CHECKING:
    from workbench.ingest.expiry import Due
    from workbench.memory.episode import Episode
    from workbench.workspace.episode_recalls import Mark

_TOPICS, _ABSTRACT = 3, 100
_EXAMPLES = """\b
EPISODE is an id, its beginning, or a path:
  workbench episodes list --expiring 7
  workbench episodes extend e12 --days 30
"""


@click.group(epilog=_EXAMPLES)
def episodes() -> None:
    """Session summaries, and how long each is kept."""


@episodes.command("list")
@click.option("--expiring", type=click.IntRange(0), metavar="DAYS", help="Only those with at most DAYS left.")
@click.option("--session", metavar="S", help="Only those of session S.")
@json_option
def list_(expiring: int | None, session: str | None, as_json: bool) -> None:
    """All episodes, those that expire first at the top."""
    from workbench.ingest import expiry
    from workbench.ingest.episodes import episodes as every
    from workbench.workspace.episode_recalls import recall_marks

    now = datetime.now(UTC)
    with workspace() as place:
        marks = recall_marks(place, now)
        found = [
            one
            for one in every(place)
            if (session is None or _is_of(one, session))
            and (expiring is None or expiry.expiring(one, expiring, now))
        ]
    found.sort(key=_urgency)
    if as_json:
        say_json({"episodes": [_as_json(one, marks, now) for one in found]})
        return
    for one in found:
        _say(one, marks, now)
    if not found:
        say("no episodes" if expiring is None and session is None else "no such episodes")


@episodes.command()
@click.argument("name", metavar="EPISODE")
@json_option
def show(name: str, as_json: bool) -> None:
    """One episode as it is written, and how long it has left."""
    from workbench.ingest.episodes import episode_named
    from workbench.workspace.episode_recalls import recall_marks

    now = datetime.now(UTC)
    with workspace() as here, whose(name, here) as (there, called):
        one = episode_named(there.place, called)
        text = there.place.read(one.path).decode("utf-8", "replace")
        marks = recall_marks(there.place, now)
    if as_json:
        say_json(
            {**_as_json(one, marks, now), "path": there.address(one.path), **there.as_json(), "text": text}
        )
        return
    narrate(_standing(one, marks, now))
    say(text.removesuffix("\n"))


@episodes.command()
@click.option("--force", is_flag=True, help="Although the clock is doubtful, or most would go at once.")
@yes_option
@reason_option
@dry_run_option
@json_option
def expire(force: bool, yes: bool, reason: str, dry_run: bool, as_json: bool) -> None:
    """Remove what has expired and is not pinned; shown first. `workbench undo` brings it back."""
    from workbench.ingest.expiry import due, plan_prune

    now = datetime.now(UTC)
    with workspace() as place:
        plan = plan_prune(place, now=now, force=force, reason=reason, actor="human")
        if not dry_run:
            _show_due(due(place, now=now), plan, quiet=as_json)
            if not yes:
                count = len(plan.entries)
                agree(
                    f"remove these {count}?",
                    refusal=f"removing {plural(count, 'episode')} needs your word; nothing was changed",
                    hint="look at the list, then add --yes; --dry-run shows the diff",
                )

        def again() -> Plan:
            fresh = plan_prune(place, now=now, force=force, reason=reason, actor="human")
            if fresh.entries != plan.entries:
                raise ConflictError(
                    "episodes changed meanwhile, so this is not the list that was shown; nothing was changed",
                    hint="run the command again and look at the new list",
                )
            return fresh

        act(place, again, dry_run=dry_run, as_json=as_json)


def _show_due(found: Due, plan: Plan, *, quiet: bool) -> None:
    tell = narrate if quiet else say
    for one in found.expired:
        tell(f"{one.path}  {_short(one)}  (expired on {one.expires_at})")
    narrate_notes(plan.notes)


def _say(one: Episode, marks: Mapping[str, Mark], now: datetime) -> None:
    """Two lines: what it is, and how it stands."""
    say(f"{one.id}  {_short(one)}", bold=True)
    say(f"    {_standing(one, marks, now)}")


def _standing(one: Episode, marks: Mapping[str, Mark], now: datetime) -> str:
    from workbench.ingest.expiry import time_left
    from workbench.workspace.episode_recalls import recalls_of

    recalls = recalls_of(one, marks).count
    parts = [
        _age(one, now),
        time_left(one, now),
        plural(one.turns, "turn") if one.turns else "",
        plural(recalls, "recall") if recalls else "never recalled",
        f"promoted {one.promoted_at}" if one.promoted_at else "",
        ", ".join(one.topics[:_TOPICS]),
        f"unreadable: {one.problem}" if one.problem else "",
        one.path,
    ]
    return " · ".join(visible(part, one_line=True) for part in parts if part)


def _as_json(one: Episode, marks: Mapping[str, Mark], now: datetime) -> dict[str, Any]:
    from workbench.ingest.expiry import time_left
    from workbench.workspace.episode_recalls import recalls_of

    mark = recalls_of(one, marks)
    return {
        "id": one.id,
        "path": one.path,
        "source_id": one.source_id,
        "source": one.source,
        "session": one.session,
        "agent": one.agent,
        "user": one.user,
        "abstract": one.abstract,
        "topics": list(one.topics),
        "turns": one.turns,
        "started_at": _iso(one.started_at),
        "ended_at": _iso(one.ended_at),
        "created_at": _iso(one.created_at),
        "expires_at": _iso(one.expires_at),
        "days_left": one.days_left(now.date()),
        "countdown": time_left(one, now),
        "recall_count": mark.count,
        "last_recalled_at": _iso(mark.last),
        "promoted_at": _iso(one.promoted_at),
        "pinned": one.pinned,
        "trust": one.trust,
        "problem": one.problem,
    }


def _is_of(one: Episode, session: str) -> bool:
    source = one.source_id or ""
    return session in (one.session, source) or source.startswith(f"{session}:")


def _urgency(one: Episode) -> tuple[bool, date, str]:
    """What expires first, then what never does."""
    return one.pinned or one.expires_at is None, one.expires_at or date.max, one.path


def _age(one: Episode, now: datetime) -> str:
    if one.created_at is None:
        return ""
    days = (now.date() - one.created_at).days
    return "today" if days == 0 else f"{plural(days, 'day')} old" if days > 0 else f"dated {one.created_at}"


def _short(one: Episode) -> str:
    return cut(visible(one.abstract or one.path, one_line=True), _ABSTRACT)


def _iso(moment: date | datetime | None) -> str | None:
    return moment.isoformat() if moment else None


for _operation in OPERATIONS:
    episodes.add_command(command_of(_operation))
