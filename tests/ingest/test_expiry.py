"""Episodes go in their time, never by a wrong clock, never in a heap, and never for good."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.failpoints import Fault, KilledError, failing
from tests.support.workspaces import EPISODE, Sandbox
from workbench.errors import NeedsConfirmationError, NotCuratableError, UsageError, WorkbenchError
from workbench.ingest.episodes import (
    Mark,
    due,
    episode_named,
    episodes,
    expires_within,
    happened,
    plan_extend,
    plan_pin_episode,
    plan_prune,
    recall_marks,
    recalls_of,
    time_left,
)
from workbench.memory.entry import RelPath
from workbench.memory.episode import Episode, EpisodeLine, EpisodePage, countdown, render_page
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

NOW = datetime.now(UTC) + timedelta(hours=2)  # a clock that is behind the commits is not believed
"""Files and commits of a test are of this moment, so the guards must be tried from here."""


def write(sandbox: Sandbox, name: str, *, left: int | None, **more: object) -> str:
    """An episode that has ``left`` days left."""
    path = f"episodes/2026/01/{name}.md"
    page = EpisodePage(
        id=name,
        source_id=f"agent:{name}:0",
        created_at=NOW - timedelta(days=90),
        expires_at=None if left is None else NOW + timedelta(days=left),
        abstract=f"The session {name} was about the harbour.",
        summary=(EpisodeLine(f"The session {name} was about the harbour."),),
    )
    sandbox.write(path, render_page(replace(page, **more)))  # type: ignore[arg-type]
    return path


@pytest.fixture
def queue(sandbox: Sandbox) -> Sandbox:
    """Two expired episodes, a pinned one, three that have time, and one without a date."""
    (sandbox.root / EPISODE).unlink()
    write(sandbox, "old1", left=-1)
    write(sandbox, "old2", left=-40)
    write(sandbox, "kept", left=-40, pinned=True)
    write(sandbox, "last", left=0)
    write(sandbox, "soon", left=3)
    write(sandbox, "later", left=80)
    write(sandbox, "never", left=None)
    sandbox.commit("episodes")
    return sandbox


def names(sandbox: Sandbox) -> set[str]:
    return {one.id for one in episodes(sandbox.workspace)}


def prune(place: Workspace, now: datetime = NOW, *, force: bool = False) -> Operation:
    return place.operations.carry_out(lambda: plan_prune(place, now=now, force=force))


def test_what_has_expired_goes_in_one_operation_and_comes_back_byte_for_byte(queue: Sandbox) -> None:
    before = queue.snapshot()
    done = prune(queue.workspace)
    assert names(queue) == {"kept", "last", "soon", "later", "never"}
    assert (done.action, done.actor) == ("expire", "dreaming")
    assert done.entries == ("episodes/2026/01/old1.md", "episodes/2026/01/old2.md")
    place = queue.workspace
    place.operations.carry_out(lambda: plan_undo(place, done.id))
    assert queue.snapshot() == before


def test_the_plan_says_what_stays_and_why(queue: Sandbox) -> None:
    queue.write("episodes/broken.md", "---\nid: [\n---\n- x\n")
    notes = " ".join(plan_prune(queue.workspace, now=NOW).notes)
    assert "episodes/2026/01/never.md: it does not say when it expires" in notes
    assert "episodes/broken.md: unreadable front matter" in notes
    assert "expired, and kept because they are pinned: 1" in notes
    assert "of which nothing was promoted: 2 of 2" in notes


def test_when_nothing_has_expired_nothing_is_done(queue: Sandbox) -> None:
    prune(queue.workspace)
    with pytest.raises(NotCuratableError, match="no episode has expired"):
        prune(queue.workspace)


@pytest.mark.promise(
    "From sessions to long-term memory",
    "the clock says 1970 or 2100, or went back",
    "no episode is removed",
)
@pytest.mark.parametrize("now", [NOW.replace(year=2100), NOW + timedelta(days=200)])
def test_a_clock_that_jumped_ahead_removes_nothing(queue: Sandbox, now: datetime) -> None:
    with pytest.raises(NeedsConfirmationError, match="may be wrong"):
        prune(queue.workspace, now)
    assert len(names(queue)) == 7


def test_what_was_committed_after_the_jump_does_not_vouch_for_the_clock(
    queue: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumped = NOW + timedelta(days=200)
    monkeypatch.setenv("GIT_COMMITTER_DATE", jumped.isoformat())
    queue.git("commit", "-q", "--allow-empty", "-m", "later")
    assert max(happened(queue.workspace)) >= jumped - timedelta(seconds=1)
    with pytest.raises(NeedsConfirmationError, match="may be wrong"):
        prune(queue.workspace, jumped)


def test_a_clock_that_fell_back_removes_nothing(queue: Sandbox) -> None:
    write(queue, "old3", left=-400)
    with pytest.raises(NeedsConfirmationError, match="went back"):
        prune(queue.workspace, NOW - timedelta(days=30))
    with pytest.raises(NotCuratableError, match="no episode has expired"):
        prune(queue.workspace, NOW.replace(year=1970))
    assert len(names(queue)) == 8


@pytest.mark.promise(
    "From sessions to long-term memory",
    "most episodes would be removed at once",
    "refused without confirmation",
)
def test_most_of_the_queue_never_goes_at_once_without_a_word(queue: Sandbox) -> None:
    for number in range(8):
        write(queue, f"more{number}", left=-5)
    with pytest.raises(NeedsConfirmationError, match="10 of 15 episodes would be removed at once"):
        prune(queue.workspace)
    assert len(names(queue)) == 15
    done = prune(queue.workspace, force=True)
    assert len(done.entries) == 10
    assert "would be removed at once" in done.reason


def test_three_may_go_though_they_are_all(sandbox: Sandbox) -> None:
    (sandbox.root / EPISODE).unlink()
    for number in range(3):
        write(sandbox, f"e{number}", left=-1)
    assert len(prune(sandbox.workspace).entries) == 3


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"created_at": NOW + timedelta(days=400)}, "before it was made"),
        ({"created_at": datetime(1970, 1, 1, tzinfo=UTC), "ended_at": NOW}, "a clock was wrong"),
        ({"created_at": NOW + timedelta(days=30), "expires_at": NOW + timedelta(days=60)}, "in the future"),
    ],
)
def test_dates_that_cannot_be_are_named_and_left_alone(
    queue: Sandbox, more: dict[str, datetime], why: str
) -> None:
    path = write(queue, "odd", left=-5, **more)
    found = due(queue.workspace, now=NOW)
    assert any(where == path and why in reason for where, reason in found.unclear)
    prune(queue.workspace)
    assert "odd" in names(queue)


@pytest.mark.promise(
    "From sessions to long-term memory",
    "the disk fails, or a kill, while an episode is written or removed",
)
@pytest.mark.parametrize("fault", [Fault.FULL, Fault.DEATH])
def test_a_disk_that_fails_leaves_all_or_none_of_the_expired(queue: Sandbox, fault: Fault) -> None:
    place = queue.workspace
    before = queue.snapshot()
    for moment in range(1, 200):
        with failing(fault, moment) as points, contextlib.suppress(WorkbenchError, KilledError):
            prune(place)
        again = Workspace.open(queue.root)
        again.operations.recover()
        left = names(queue)
        assert left & {"old1", "old2"} in (set(), {"old1", "old2"})
        if "old1" not in left:
            again.operations.carry_out(lambda place=again: plan_undo(place))  # type: ignore[misc]
        assert queue.snapshot() == before
        again.close()
        if not points.struck:
            break
    assert moment > 10


def test_a_pin_stops_the_clock_and_can_be_taken_off(queue: Sandbox) -> None:
    place = queue.workspace
    place.operations.carry_out(lambda: plan_pin_episode(place, ["old1", "old2"]))
    with pytest.raises(NotCuratableError, match="no episode has expired"):
        prune(place)
    place.operations.carry_out(lambda: plan_pin_episode(place, ["old2"], on=False))
    assert prune(place).entries == ("episodes/2026/01/old2.md",)
    with pytest.raises(NotCuratableError, match="pinned already"):
        plan_pin_episode(place, ["old1"])


def extended(place: Workspace, *which: str, **how: object) -> date | None:
    plan: Callable[[], Plan] = lambda: plan_extend(place, which, now=NOW, **how)  # type: ignore[arg-type]  # noqa: E731
    place.operations.carry_out(plan)
    return episode_named(place, which[0]).expires_at


def test_an_episode_gets_more_days_from_where_its_time_would_be_over(queue: Sandbox) -> None:
    place = queue.workspace
    assert extended(place, "soon", days=10) == (NOW + timedelta(days=13)).date()
    assert extended(place, "old2", days=10) == (NOW + timedelta(days=10)).date()
    assert extended(place, "never", days=10) == (NOW + timedelta(days=10)).date()
    assert extended(place, "last", "later", until=NOW.date() + timedelta(days=365)) == NOW.date() + timedelta(
        days=365
    )
    assert prune(place).entries == ("episodes/2026/01/old1.md",)


def test_extending_changes_one_line_and_is_undone(queue: Sandbox) -> None:
    place = queue.workspace
    before = queue.snapshot()
    plan = plan_extend(place, ["soon"], now=NOW, days=10)
    (edit,) = plan.edits
    assert edit.before is not None
    assert edit.after is not None
    assert len(set(edit.before.split(b"\n")) ^ set(edit.after.split(b"\n"))) == 2
    extended(place, "soon", days=10)
    place.operations.carry_out(lambda: plan_undo(place))
    assert queue.snapshot() == before


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"days": 1, "until": date(2030, 1, 1)},
        {"days": 0},
        {"days": -5},
        {"days": 10**9},
        {"until": date(1999, 1, 1)},
        {"until": date(9999, 12, 31)},
    ],
)
def test_an_extension_that_makes_no_sense_is_refused(queue: Sandbox, how: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        plan_extend(queue.workspace, ["soon"], now=NOW, **how)  # type: ignore[arg-type]


def test_what_expires_at_the_end_of_time_gets_no_more_of_it(queue: Sandbox) -> None:
    queue.write("episodes/late.md", "---\nid: late\nexpires_at: 9999-12-31\n---\n- x\n")
    with pytest.raises(UsageError, match="not a valid expiry date"):
        plan_extend(queue.workspace, ["late"], now=NOW, days=30)


def test_a_header_that_cannot_say_it_is_left_alone(queue: Sandbox) -> None:
    queue.write("episodes/braces.md", "---\n{id: braces}\n---\n- x\n")
    queue.write("episodes/bare.md", "- x\n")
    for name in ("braces", "bare"):
        with pytest.raises(NotCuratableError, match="cannot say"):
            plan_extend(queue.workspace, [name], now=NOW, days=3)


def recalled(place: Workspace, *records: dict[str, object]) -> None:
    place.ledger.append("recalls", records, NOW)


def test_recalls_are_counted_by_the_ledger_and_written_only_with_something_else(queue: Sandbox) -> None:
    place = queue.workspace
    path = "episodes/2026/01/soon.md"
    yesterday = (NOW - timedelta(days=1)).replace(microsecond=0)
    before = queue.read(path)
    recalled(
        place,
        {"at": yesterday.isoformat(), "query": "q1", "entry": f"{path}#aaaaaaaaaaaa", "score": 0.8},
        {"at": yesterday.isoformat(), "query": "q1", "entry": f"{path}#bbbbbbbbbbbb"},
        {"at": (yesterday - timedelta(days=2)).isoformat(), "query": "q1", "entry": f"{path}#aaaaaaaaaaaa~2"},
        {"at": (NOW + timedelta(days=400)).isoformat(), "query": "q3", "entry": f"{path}#aaaaaaaaaaaa"},
        {"at": "no day", "query": "q4", "entry": path},
        {"entry": "MEMORY.md#aaaaaaaaaaaa"},
        {"entry": 7},
    )
    marks = recall_marks(place, NOW)
    assert dict(marks) == {path: Mark(4, yesterday, 0.2)}
    assert recalls_of(episode_named(place, "soon"), marks) == Mark(4, yesterday, 0.2)
    assert queue.read(path) == before
    extended(place, "soon", days=1)
    assert episode_named(place, "soon").recall_count == 4
    assert episode_named(place, "soon").last_recalled_at == yesterday


def test_a_count_that_came_from_elsewhere_is_not_lost(sandbox: Sandbox) -> None:
    one = Episode(path=RelPath("episodes/x.md"), id="x", abstract="", recall_count=9, last_recalled_at=NOW)
    assert recalls_of(one, {}) == Mark(9, NOW)
    assert recalls_of(one, {"episodes/x.md": Mark(2, NOW - timedelta(days=3))}) == Mark(9, NOW)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (12, "expires in 12 days"),
        (1, "expires in 1 day"),
        (0, "expires today"),
        (-1, "expired 1 day ago"),
        (-1200, "expired 1,200 days ago"),
        (None, "no expiry date"),
    ],
)
def test_the_countdown_says_how_long_is_left(left: int | None, said: str) -> None:
    today = date(2026, 3, 14)
    day = None if left is None else today + timedelta(days=left)
    one = Episode(path=RelPath("episodes/x.md"), id="x", abstract="", expires_at=day)
    assert countdown(one, today) == said
    assert countdown(replace(one, pinned=True), today) == "pinned, never expires"
    assert one.days_left(today) == left
    assert replace(one, pinned=True).days_left(today) is None


def test_who_expires_within_some_days_is_known(queue: Sandbox) -> None:
    found = {one.id for one in episodes(queue.workspace) if expires_within(one, 3, NOW)}
    assert found == {"old1", "old2", "last", "soon"}
    assert time_left(episode_named(queue.workspace, "soon"), NOW) == "expires in 3 days"
