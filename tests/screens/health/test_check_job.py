"""The process of the checks may print anything, die or hang: the screen says so, and can look again."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.message import Message

from screens.health.check_job import CheckJob, ChecksEnded
from tests.support.tasks import replace_task

RESULT = """{"event": "result", "result": {"name": "sync", "family": "index", "seen": "", "total": 1,
"findings": [{"severity": "fatal", "what": ""}]}}""".replace("\n", "")


@pytest.fixture
def told() -> list[Message]:
    return []


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[Message]) -> CheckJob:
    """One whose process runs what a test writes into ``odd_checks.py``."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    replace_task(monkeypatch, "health", by="odd_checks")
    return CheckJob(tmp_path, told.append)


async def looked(job: CheckJob) -> None:
    assert job.wish(["sync"])
    await job.run()
    assert not job.running


@pytest.mark.parametrize(
    "line",
    [
        "nothing of ours",
        "[" * 200_000,
        '{"event": "begin"}',
        '{"event": "result", "result": [1]}',
        '{"event": "result", "result": {"name": "sync"}}',
        RESULT,
    ],
    ids=["words", "deep", "too little", "a list", "a part", "another version"],
)
async def test_what_is_no_answer_is_passed_over(
    line: str, job: CheckJob, told: list[Message], tmp_path: Path
) -> None:
    (tmp_path / "line").write_text(line)
    (tmp_path / "odd_checks.py").write_text(
        f'print(open({str(tmp_path / "line")!r}).read()); print(\'{{"event": "done"}}\')'
    )
    await looked(job)
    assert [type(one) for one in told] == [ChecksEnded]
    assert isinstance(told[0], ChecksEnded)
    assert told[0].problem == ""


async def test_a_process_that_dies_is_told_of(job: CheckJob, told: list[Message], tmp_path: Path) -> None:
    (tmp_path / "odd_checks.py").write_text("import os; os._exit(7)")
    await looked(job)
    assert isinstance(told[-1], ChecksEnded)
    assert told[-1].problem == "the look ended with status 7"


async def test_a_process_that_is_killed_is_told_of_by_its_signal(
    job: CheckJob, told: list[Message], tmp_path: Path
) -> None:
    (tmp_path / "odd_checks.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    await looked(job)
    assert isinstance(told[-1], ChecksEnded)
    assert told[-1].problem.startswith("the look was ended by SIGKILL")


async def test_a_line_without_an_end_is_told_of(job: CheckJob, told: list[Message], tmp_path: Path) -> None:
    (tmp_path / "odd_checks.py").write_text("print('x' * (1 << 25))")
    await looked(job)
    assert isinstance(told[-1], ChecksEnded)
    assert "limit" in told[-1].problem
