"""The process that dreams may say anything: what it does not mean for us is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.jobs import worker_client
from screens.jobs.running_jobs import JobStage, RunningJobs
from screens.review.dream_job import Dreamer, progress_parts
from workbench.errors import StoppedError


@pytest.mark.parametrize("line", [b"Loading weights\n", b"[1]\n", b"\xff\n", b"7\n"])
def test_a_line_that_is_no_event_is_none(line: bytes) -> None:
    assert worker_client.event(line) == {}


def test_a_dream_under_way_says_how_long_it_still_takes(tmp_path: Path) -> None:
    made = Dreamer(tmp_path, RunningJobs(lambda: None))
    made.running = True
    made.stage = JobStage("reading", done=1_200, total=4_800, rate=40.0)
    assert "1,200 of 4,800 · 40/s · 2 min left" in "".join(part.text for part in progress_parts(made))
    made.stage = JobStage("reading", done=4_000, total=4_800, rate=40.0)
    assert "40/s · 20 s left" in "".join(part.text for part in progress_parts(made))


async def test_whatever_goes_wrong_is_kept_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no such luck")

    told: list[bool] = []
    made = Dreamer(tmp_path, RunningJobs(lambda: None))
    made.told = lambda: told.append(made.running)
    monkeypatch.setattr(worker_client, "start", broken)
    await made.dream()
    assert str(made.error) == "no such luck"
    assert told == [True, False]


async def test_a_dream_that_is_stopped_before_it_begins_does_not_go_on(tmp_path: Path) -> None:
    made = Dreamer(tmp_path, RunningJobs(lambda: None))
    made.told = lambda: setattr(made._client, "stopped", True)
    await made.dream()
    assert isinstance(made.error, StoppedError)
    assert made.outcome is None
