"""The episodic queue: session summaries, and how long each is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any

from workbench.cli.console import (
    answered,
    given,
    group,
    named,
    narrate,
    narrate_notes,
    number,
    say,
    this_moment,
    word,
    workspace,
    yes_option,
)
from workbench.cli.operation_command import Chosen, Selection, command_of, shown_first, whose
from workbench.ingest.episodes import (
    Mark,
    due,
    episode_named,
    expires_within,
    plan_prune,
    recall_marks,
    recalls_of,
    time_left,
)
from workbench.ingest.episodes import episodes as every
from workbench.ingest.operations import EXPIRE, OPERATIONS
from workbench.memory.episode import Episode
from workbench.plural import plural
from workbench.safety.terminal import cut, visible_line
from workbench.workspace.workspace import Workspace

_TOPICS, _ABSTRACT = 3, 100
_EXAMPLES = """\b
EPISODE is an id, its beginning, or a path:
  workbench episodes list --expiring 7
  workbench episodes extend e12 --days 30
"""


@group(epilog=_EXAMPLES)
def episodes() -> None:
    """Episodes (session summaries): list, pin, extend, expire."""


@episodes.command("list")
@number("--expiring", metavar="DAYS", help="Only those with at most DAYS left.")
@word("--session", "S", "Only those of session S.", default=None)
def list_(expiring: int | None, session: str | None) -> None:
    """List all episodes, those that expire first at the top."""

    now = datetime.now(UTC)
    with workspace() as place:
        marks = recall_marks(place, now)
        found = [
            one
            for one in every(place)
            if (session is None or _is_of(one, session))
            and (expiring is None or expires_within(one, expiring, now))
        ]
    # What expires first, then what never does.
    found.sort(
        key=lambda one: (one.pinned or one.expires_at is None, one.expires_at or date.max, one.path),
    )
    if answered({"episodes": [_as_json(one, marks, now) for one in found]}):
        return
    for one in found:
        say(f"{one.id}  {_short(one)}", bold=True)
        say(f"    {_state(one, marks, now)}")
    if not found:
        say("no episodes" if expiring is None and session is None else "no such episodes")


@episodes.command()
@named("name", "EPISODE")
def show(name: str) -> None:
    """Show one episode, and the days until it expires."""

    now = datetime.now(UTC)
    with whose(name) as (there, called):
        one = episode_named(there.place, called)
        text = there.place.read(one.path).decode("utf-8", "replace")
        marks = recall_marks(there.place, now)
    told = {**_as_json(one, marks, now), "path": there.address(one.path), **there.as_json(), "text": text}
    if not answered(told):
        narrate(_state(one, marks, now))
        say(text.removesuffix("\n"))


def _due(place: Workspace, _: None, *, force: bool, **__: Any) -> Chosen:
    """What has expired; shown, and with a yes alone."""

    now = this_moment()
    pages = {str(one.path): one for one in due(place, now=now).expired}
    if given("dry_run"):
        return lambda: None
    narrate_notes(plan_prune(place, now=now, force=force).notes)
    return shown_first(
        lambda: plan_prune(place, now=now, force=force).entries,
        lambda path: f"{path}  {_short(pages[path])}  (expired on {pages[path].expires_at})",
        "remove these {}?",
        "removing {}",
        "episode",
        ask=not given("yes"),
    )


for _operation in OPERATIONS:
    _selection = Selection((yes_option,), _due) if _operation is EXPIRE else None
    episodes.add_command(command_of(_operation, _selection))


def _state(one: Episode, marks: Mapping[str, Mark], now: datetime) -> str:
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
    return " · ".join(visible_line(part) for part in parts if part)


def _as_json(one: Episode, marks: Mapping[str, Mark], now: datetime) -> dict[str, Any]:
    mark = recalls_of(one, marks)
    return {
        **asdict(one),
        "days_left": one.days_left(now.date()),
        "countdown": time_left(one, now),
        "recall_count": mark.count,
        "last_recalled_at": mark.last,
    }


def _is_of(one: Episode, session: str) -> bool:
    source = one.source_id or ""
    return session in (one.session, source) or source.startswith(f"{session}:")


def _age(one: Episode, now: datetime) -> str:
    if one.created_at is None:
        return ""
    days = (now.date() - one.created_at).days
    return "today" if days == 0 else f"{plural(days, 'day')} old" if days > 0 else f"dated {one.created_at}"


def _short(one: Episode) -> str:
    return cut(visible_line(one.abstract or one.path), _ABSTRACT)
