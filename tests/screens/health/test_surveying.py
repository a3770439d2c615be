"""The survey's process may print anything, die or hang: the screen says so, and can look again."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.message import Message

from screens.health.report_job import Ended, Surveyor
from tests.support.tasks import replace_task

SECTION = """{"event": "section", "section": {"id": "index", "title": "Index", "seen": "", "facts": [],
"total": 1, "notes": [], "failed": "", "concerns": [{"severity": "fatal", "what": "",
"meaning": "", "do": "", "address": "", "line": 0, "also": [], "fixes": [], "rule": ""}]}}""".replace(
    "\n", ""
)


@pytest.fixture
def told() -> list[Message]:
    return []


@pytest.fixture
def surveyor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[Message]) -> Surveyor:
    """One whose process runs what a test writes into ``odd_survey.py``."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    replace_task(monkeypatch, "health", by="odd_survey")
    return Surveyor(tmp_path, told.append)


async def looked(surveyor: Surveyor) -> None:
    assert surveyor.wish(["index"])
    await surveyor.run()
    assert not surveyor.running


@pytest.mark.parametrize(
    "line",
    [
        "nothing of ours",
        "[" * 200_000,
        '{"event": "begin"}',
        '{"event": "section", "section": [1]}',
        '{"event": "section", "section": {"id": "index"}}',
        SECTION,
    ],
    ids=["words", "deep", "too little", "a list", "a part", "another version"],
)
async def test_what_is_no_answer_is_passed_over(
    line: str, surveyor: Surveyor, told: list[Message], tmp_path: Path
) -> None:
    (tmp_path / "line").write_text(line)
    (tmp_path / "odd_survey.py").write_text(
        f'print(open({str(tmp_path / "line")!r}).read()); print(\'{{"event": "done"}}\')'
    )
    await looked(surveyor)
    assert [type(one) for one in told] == [Ended]
    assert isinstance(told[0], Ended)
    assert told[0].problem == ""


async def test_a_process_that_dies_is_told_of(
    surveyor: Surveyor, told: list[Message], tmp_path: Path
) -> None:
    (tmp_path / "odd_survey.py").write_text("import os; os._exit(7)")
    await looked(surveyor)
    assert isinstance(told[-1], Ended)
    assert told[-1].problem == "the look ended with status 7"


async def test_a_process_that_is_killed_is_told_of_by_its_signal(
    surveyor: Surveyor, told: list[Message], tmp_path: Path
) -> None:
    (tmp_path / "odd_survey.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    await looked(surveyor)
    assert isinstance(told[-1], Ended)
    assert told[-1].problem.startswith("the look was ended from outside by SIGKILL")


async def test_a_line_without_an_end_is_told_of(
    surveyor: Surveyor, told: list[Message], tmp_path: Path
) -> None:
    (tmp_path / "odd_survey.py").write_text("print('x' * (1 << 25))")
    await looked(surveyor)
    assert isinstance(told[-1], Ended)
    assert "limit" in told[-1].problem
