"""What is kept of the runs of a job, and what is told from it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import to_builtins

from workbench.errors import BusyError, IndexUnavailableError
from workbench.jobs.runs import (
    KEPT,
    Job,
    JobRun,
    JobStatus,
    State,
    StepResult,
    forget,
    keep,
    running,
    runs,
    standing,
    standings,
)
from workbench.workspace.locks import hold

NOW = datetime(2026, 3, 14, 3, 30, tzinfo=UTC)
FAULT = "Sarah prefers \x1b[2J async reviews"


def ran(
    job: Job = Job.NIGHTLY,
    *,
    ago: float = 0.0,
    state: State = "done",
    clock: bool = True,
    failed: str = "",
    done: str = "",
) -> JobRun:
    """A run that began ``ago`` hours before NOW and took a minute."""
    began = NOW - timedelta(hours=ago)
    steps = tuple(
        StepResult(
            name=name,
            state="failed" if name == failed else "done",
            error="BackupError" if name == failed else None,
        )
        for name in (failed, done)
        if name
    )
    ended = None if state == "running" else began + timedelta(minutes=1)
    return JobRun(job=job, began=began, ended=ended, pid=7, state=state, by_clock=clock, steps=steps)


def stands(state: Path, *every: JobRun, now: datetime = NOW) -> JobStatus:
    for run in every:
        keep(state, run)
    return standing(state, every[-1].job, now)


def ticking(*hours: float) -> Callable[[], datetime]:
    moments = iter(NOW + timedelta(hours=hour) for hour in hours)
    return lambda: next(moments)


def test_a_run_is_the_same_after_it_was_kept(tmp_path: Path) -> None:
    whole = JobRun(
        job=Job.WATCH,
        began=NOW.astimezone(),
        ended=(NOW + timedelta(seconds=2.5)).astimezone(),
        pid=12,
        state="failed",
        by_clock=True,
        steps=(StepResult(name="dream", state="failed", error="ModelUnavailableError"),),
        counts={"entries": 3},
        error="OSError",
    )
    keep(tmp_path, whole)
    assert runs(tmp_path, Job.WATCH) == (whole,)


def test_only_the_last_runs_are_kept_and_the_file_is_the_owners(tmp_path: Path) -> None:
    for hour in range(KEPT + 5):
        keep(tmp_path, ran(ago=100 - hour))
    kept = runs(tmp_path, Job.NIGHTLY)
    assert [run.began for run in kept] == [NOW - timedelta(hours=100 - hour) for hour in range(5, KEPT + 5)]
    (path,) = tmp_path.iterdir()
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert forget(tmp_path, Job.NIGHTLY)
    assert not forget(tmp_path, Job.NIGHTLY)
    assert runs(tmp_path, Job.NIGHTLY) == ()


@pytest.mark.promise(
    "From sessions to long-term memory",
    "the record of a job is torn or forged, or cannot be written",
    "it is not used, and `jobs status` reports it; the job runs",
)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 1}',
        '{"format": 1, "runs": {}}',
        '{"format": 2, "runs": [GOOD]}',
        '{"format": 1, "runs": [1, null, [], {}, {"began": 1}]}',
        '{"format": 1, "runs": [{"began": "x", "ended": null, "pid": 1, "state": "done"}]}',
        '{"format": 1, "runs": [BAD]}',
        "[" * 100_000,
    ],
)
def test_a_record_that_is_none_is_not_believed(text: str, tmp_path: Path) -> None:
    good = to_builtins(ran())
    bad = {**good, "state": "dancing"}
    text = text.replace("GOOD", json.dumps(good)).replace("BAD", json.dumps(bad))
    (tmp_path / "job-nightly.json").write_text(text)
    assert runs(tmp_path, Job.NIGHTLY) == ()
    stands = standing(tmp_path, Job.NIGHTLY, NOW)
    assert (stands.state, stands.wrong, stands.line) == ("never", True, "its record cannot be read")
    assert stands.sentence == "the record of the nightly run cannot be read: whether it ran is unknown"
    assert "`workbench jobs forget nightly`" in stands.mends
    with running(tmp_path, Job.NIGHTLY):
        pass
    assert not standing(tmp_path, Job.NIGHTLY, NOW).unread


def test_one_bad_run_does_not_cost_the_others(tmp_path: Path) -> None:
    text = json.dumps({"format": 1, "runs": [{"began": 7}, to_builtins(ran())]})
    (tmp_path / "job-nightly.json").write_text(text)
    assert len(runs(tmp_path, Job.NIGHTLY)) == 1


def test_words_where_a_name_should_be_are_neither_kept_nor_shown(tmp_path: Path) -> None:
    with running(tmp_path, Job.NIGHTLY) as run:
        run.step(FAULT, "failed", FAULT)
        run.tell({FAULT: 3}, FAULT)
    assert "Sarah" not in (tmp_path / "job-nightly.json").read_text()
    crafted = to_builtins(ran(failed="backup"))
    crafted["steps"] = [{"step": FAULT, "state": "failed", "error": FAULT}]
    crafted["error"] = FAULT
    (tmp_path / "job-nightly.json").write_text(json.dumps({"format": 1, "runs": [crafted]}))
    told = standing(tmp_path, Job.NIGHTLY, NOW)
    assert told.wrong
    assert "Sarah" not in json.dumps(told.as_json()) + told.sentence + told.mends


def test_an_error_leaves_its_class_and_goes_on_to_whoever_called(tmp_path: Path) -> None:
    def fail() -> None:
        with running(tmp_path, Job.REINDEX, clock=ticking(0, 1)) as run:
            assert standing(tmp_path, Job.REINDEX, NOW).state == "running"
            run.tell({"entries": 4})
            raise IndexUnavailableError(FAULT)

    with pytest.raises(IndexUnavailableError):
        fail()
    told = standing(tmp_path, Job.REINDEX, NOW)
    assert (told.state, told.wrong, told.last and told.last.seconds) == ("failed", True, 3_600.0)
    assert told.as_json()["error"] == "IndexUnavailableError"
    assert told.as_json()["counts"] == {"entries": 4}
    assert told.mends == "`workbench reindex` runs it now and reports why"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GeneratorExit(), BrokenPipeError(), BusyError("x")])
def test_what_was_stopped_or_had_nothing_to_do_did_not_fail(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)), running(tmp_path, Job.NIGHTLY):
        raise error
    told = standing(tmp_path, Job.NIGHTLY, NOW)
    assert (told.state, told.wrong, told.mends) == ("stopped", False, "")


@pytest.mark.promise(
    "From sessions to long-term memory",
    "the record of a job is torn or forged, or cannot be written",
)
def test_a_disk_that_takes_no_record_stops_no_job(tmp_path: Path) -> None:
    (tmp_path / "job-nightly.json").mkdir()
    done = []
    with running(tmp_path, Job.NIGHTLY) as run:
        run.step("prune", "done")
        done.append(run.run.state)
    assert done == ["running"]


def test_a_clock_that_is_set_back_makes_no_time_negative(tmp_path: Path) -> None:
    with running(tmp_path, Job.NIGHTLY, by_clock=True, clock=ticking(5, 2)):
        pass
    told = standing(tmp_path, Job.NIGHTLY, NOW)
    assert told.last is not None
    assert told.last.seconds == 0.0
    assert not told.wrong


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a run is dated in the future because the clock was wrong",
    "the job is reported as overdue",
)
def test_a_run_of_a_day_to_come_is_no_reason_to_wait_for_that_day(tmp_path: Path) -> None:
    found = stands(tmp_path, ran(ago=-24 * 300), ran(ago=-24 * 301))
    assert found.wrong
    assert found.overdue == "the last run is dated 301 days in the future, because the clock was wrong"
    forget(tmp_path, Job.NIGHTLY)
    assert not stands(tmp_path, ran(ago=-14)).wrong


@pytest.mark.promise("From sessions to long-term memory", "a job is killed")
def test_a_record_without_an_end_is_of_one_that_runs_or_was_killed(tmp_path: Path) -> None:
    assert stands(tmp_path, ran(state="running")).state == "killed"
    with hold(tmp_path / "nightly.lock", "the nightly run"):
        assert standing(tmp_path, Job.NIGHTLY, NOW).state == "running"
    told = standing(tmp_path, Job.NIGHTLY, NOW)
    assert told.sentence == "the nightly run was killed before its end"
    assert told.mends == "`workbench jobs run nightly` runs it now"


def test_whoever_looks_makes_no_run_fail(tmp_path: Path) -> None:
    """The look holds the lock for an instant; a run that begins in it waits."""
    import fcntl
    import threading

    (tmp_path / "nightly.lock").touch()
    with (tmp_path / "nightly.lock").open() as looked_at:
        fcntl.flock(looked_at, fcntl.LOCK_SH)
        release = threading.Timer(0.05, lambda: fcntl.flock(looked_at, fcntl.LOCK_UN))
        release.start()
        with running(tmp_path, Job.NIGHTLY) as run:
            assert run.run.state == "running"
        release.join()


def test_a_step_that_was_not_tried_again_still_fails(tmp_path: Path) -> None:
    told = stands(
        tmp_path, ran(ago=2, state="failed", failed="backup", done="prune"), ran(ago=1, done="prune")
    )
    assert (told.state, [one.name for one in told.failed]) == ("failed", ["backup"])
    assert told.sentence == "the nightly run failed at backup (BackupError)"
    assert told.mends == "`workbench jobs run nightly --only backup` runs it now and reports why"
    assert not stands(tmp_path, ran(ago=0.5, done="backup")).wrong


def test_what_a_clock_never_started_is_awaited_by_nobody(tmp_path: Path) -> None:
    assert not stands(tmp_path, ran(ago=24 * 90, clock=False)).overdue


@pytest.mark.parametrize(("hours", "overdue"), [(35, ""), (37, "the last run was 37 hours ago")])
def test_a_nightly_job_is_overdue_after_a_day_and_a_half(tmp_path: Path, hours: float, overdue: str) -> None:
    told = stands(tmp_path, ran(ago=hours + 24), ran(ago=hours))
    assert (told.overdue, told.wrong) == (overdue, bool(overdue))
    assert ("jobs forget nightly" in told.mends) is bool(overdue)


def test_a_weekly_job_is_awaited_weekly(tmp_path: Path) -> None:
    week = 7 * 24
    weekly = [ran(ago=at * week + 5 * 24) for at in (3, 2, 1, 0)]
    assert not stands(tmp_path, *weekly).overdue
    assert standing(tmp_path, Job.NIGHTLY, NOW + timedelta(days=6)).overdue == "the last run was 11 days ago"


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a scheduler started a job once, and may be daily or weekly",
    "the job is not overdue in its first week",
)
@pytest.mark.parametrize(("days", "overdue"), [(7, False), (10, False), (11, True)])
def test_a_clock_that_came_once_may_be_a_weekly_one(tmp_path: Path, days: int, overdue: bool) -> None:
    assert stands(tmp_path, ran(ago=24 * days)).wrong is overdue


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a job hangs, or its scheduler is gone",
    "it is reported as overdue: in the banner, on the health screen, with exit code 4 of `jobs status`",
)
def test_one_that_hangs_is_overdue_and_its_process_is_named(tmp_path: Path) -> None:
    keep(tmp_path, ran(ago=40, state="running"))
    with hold(tmp_path / "nightly.lock", "the nightly run"):
        told = standing(tmp_path, Job.NIGHTLY, NOW)
    assert told.overdue == "it has been running for 40 hours"
    assert "kill 7" in told.mends


def test_what_follows_may_run_for_weeks_and_is_missed_when_it_was_stopped(tmp_path: Path) -> None:
    keep(tmp_path, ran(Job.WATCH, ago=24 * 30, state="running"))
    with hold(tmp_path / "watch.lock", "watch"):
        assert not standing(tmp_path, Job.WATCH, NOW).wrong
    assert standing(tmp_path, Job.WATCH, NOW).state == "killed"
    stopped = stands(tmp_path, ran(Job.WATCH, ago=24 * 30, state="stopped"))
    assert stopped.overdue == "the last run was 29 days ago"


def test_what_follows_and_meets_errors_says_so_until_it_meets_none(tmp_path: Path) -> None:
    with running(tmp_path, Job.REINDEX_WATCH) as run:
        run.tell({}, "IndexUnavailableError")
        told = standing(tmp_path, Job.REINDEX_WATCH, NOW)
        assert (told.state, told.wrong) == ("failing", True)
        assert told.sentence == "reindex --watch is running, with errors (IndexUnavailableError)"
        assert "`workbench reindex` reports why" in told.mends
        run.tell({"entries": 4})
        assert not standing(tmp_path, Job.REINDEX_WATCH, NOW).wrong


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert [one.state for one in standings(tmp_path / "none", NOW)] == ["never"] * len(Job)
    assert list(tmp_path.iterdir()) == []
