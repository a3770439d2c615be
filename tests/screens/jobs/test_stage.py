"""How far long work is, in figures and in a line."""

from __future__ import annotations

import pytest

from screens.jobs.running_jobs import QUIET_SECONDS, JobStage, RunningJob, RunningJobs, stage_parts
from screens.jobs.worker_client import RateMeter


def line(stage: JobStage, **options: object) -> str:
    return "".join(part.text for part in stage_parts("Indexing", stage, **options))  # type: ignore[arg-type]


def test_the_rate_is_that_of_the_phase() -> None:
    seconds = iter((0.0, 10.0, 20.0, 24.0))
    meter = RateMeter(lambda: next(seconds))
    assert meter.read({"phase": "words", "done": 100, "total": 400}) == JobStage("words", 100, 400)
    assert meter.read({"phase": "words", "done": 200, "total": 400}) == JobStage("words", 200, 400, 10.0)
    assert meter.read({"phase": "embed", "done": 40, "total": 80}) == JobStage("embed", 40, 80)
    assert meter.read({"phase": "embed", "done": 50, "total": 80}) == JobStage("embed", 50, 80, 2.5)


@pytest.mark.parametrize(
    "said", [{}, {"phase": "", "done": 1}, {"phase": "a", "done": "x"}, {"event": "done"}]
)
def test_a_line_without_a_stage_is_none(said: dict[str, object]) -> None:
    assert RateMeter().read(said) is None


def test_the_line_says_how_much_how_fast_and_how_long() -> None:
    stage = JobStage("words", 1_200, 4_800, 40.0)
    assert line(stage, stops="c") == (
        "Indexing: words ━━━━╌╌╌╌╌╌╌╌╌╌╌╌ 1,200 of 4,800 · 40/s · 90 s left · c stops".replace(
            "90 s left", "2 min left"
        )
    )
    assert line(JobStage("words", 4, 8, 0.5), cells=60) == "Indexing: words ━━━╌╌╌ 4 of 8 · 0.5/s · 8 s left"
    assert line(JobStage("looking"), stops="c") == "Indexing: looking … · c stops"
    assert line(JobStage("words", 9, 8)).startswith("Indexing: words ━━━━━━━━━━━━━━━━ 9 of 8")


def work(key: str, *, asked: bool, stage: JobStage = JobStage("words", 1, 2)) -> RunningJob:  # noqa: B008
    async def stop() -> None:
        raise AssertionError("nobody stops it")

    return RunningJob(key=key, name=key, stage=stage, stop=stop, asked=asked)


def test_a_line_that_came_stays_until_the_work_is_over() -> None:
    now = [0.0]
    works = RunningJobs(lambda: None, lambda: now[0])
    counted, loading = JobStage("embed", 1, 100), JobStage("preparing the model")
    for at, stage in (
        (0.0, counted),
        (QUIET_SECONDS, counted),
        (2.0, loading),
        (3.0, counted),
        (3.1, loading),
    ):
        now[0] = at
        works.show(work("index", asked=False, stage=stage))
        assert bool(works.seen) == (at > 0), at
    works.gone("index")
    assert not works.seen


def test_what_nobody_asked_for_is_shown_once_it_takes_long_and_below_what_was() -> None:
    now = [0.0]
    moved: list[int] = []
    works = RunningJobs(lambda: moved.append(len(moved)), lambda: now[0])
    works.show(work("index", asked=False))
    assert list(works.seen) == []
    assert [one.key for one in works.under_way] == ["index"]
    now[0] = QUIET_SECONDS
    works.show(work("index", asked=False))
    assert [one.key for one in works.seen] == ["index"]
    works.show(work("dream", asked=True))
    now[0] += 1
    works.show(work("ingest", asked=True))
    assert [one.key for one in works.seen] == ["ingest", "dream", "index"]
    works.gone("dream")
    works.gone("nothing")
    assert [one.key for one in works.seen] == ["ingest", "index"]
    assert len(moved) == 5


def test_loading_a_model_for_a_short_look_takes_no_line() -> None:
    now = [0.0]
    works = RunningJobs(lambda: None, lambda: now[0])

    def moved(stage: JobStage) -> tuple[RunningJob, ...]:
        works.show(work("index", asked=False, stage=stage))
        return works.seen

    assert moved(JobStage("loading the model")) == ()
    now[0] += 9 * QUIET_SECONDS
    assert moved(JobStage("loading the model")) == ()
    assert moved(JobStage("embed", 1, 80)) == ()
    now[0] += QUIET_SECONDS
    assert len(moved(JobStage("embed", 9, 80))) == 1
