"""How memory grew, by git's history: what is read, what is remembered, and what is said not to be known."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.health.growth import SAMPLES, Growth, Size, growth
from workbench.repository.history import History

NOW = datetime(2026, 4, 10, 12, tzinfo=UTC)


def commit_at(sandbox: Sandbox, when: datetime, message: str = "then") -> None:
    sandbox.git("add", "-A")
    moment = when.isoformat()
    os.environ["GIT_COMMITTER_DATE"] = os.environ["GIT_AUTHOR_DATE"] = moment
    try:
        sandbox.git("commit", "-q", "--allow-empty", "-m", message)
    finally:
        del os.environ["GIT_COMMITTER_DATE"], os.environ["GIT_AUTHOR_DATE"]


@pytest.fixture
def aged(tmp_path: Path) -> Sandbox:
    """A memory with an entry more in MEMORY.md on each of five days in March and April."""
    made = Sandbox(tmp_path / "aged", repository=False)
    made.git("init", "-q", "-b", "main")
    for number in range(5):
        made.write("MEMORY.md", MEMORY_TEXT + "".join(f"- fact {n}\n" for n in range(number)))
        commit_at(made, NOW - timedelta(days=40 - 10 * number))
    return made


def entries(found: Growth) -> list[int]:
    return [point.measured.memory.entries for point in found.points if point.measured]


def test_a_day_without_a_commit_is_as_the_one_before_left_memory(aged: Sandbox) -> None:
    found = growth(aged.workspace, now=NOW)
    assert found.unit == "day"
    assert len(found.points) == 41
    assert entries(found)[::10] == [2, 3, 4, 5, 6]
    assert entries(found)[1:10] == [2] * 9
    assert found.now.log_files == 1
    assert found.notes == ()


def test_what_is_on_disk_and_in_no_commit_counts_as_now(aged: Sandbox) -> None:
    aged.write("MEMORY.md", "# Memory\n")
    found = growth(aged.workspace, now=NOW)
    assert entries(found)[-2:] == [5, found.now.memory.entries]
    assert found.now.memory.characters == len("# Memory\n")


def test_a_long_history_is_sampled_and_each_commit_measured_once(
    aged: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(90):
        commit_at(aged, NOW + timedelta(days=number), f"day {number}")
    later = NOW + timedelta(days=90)
    read: list[str] = []
    files_in = History.files_in

    def counting(self: History, commit, enter):  # type: ignore[no-untyped-def]
        read.append(commit)
        return files_in(self, commit, enter)

    monkeypatch.setattr(History, "files_in", counting)
    found = growth(aged.workspace, now=later)
    assert found.unit == "week"
    assert len(found.points) <= SAMPLES
    assert len(read) <= SAMPLES
    read.clear()
    assert growth(aged.workspace, now=later) == found
    assert read == []


def test_what_is_remembered_may_be_lost_or_damaged(aged: Sandbox) -> None:
    found = growth(aged.workspace, now=NOW)
    book = aged.root / ".workbench" / "growth.json"
    kept = json.loads(book.read_bytes())
    for damage in (b"{", b"[]", json.dumps({**kept, "commits": {"x": ["a"]}, "texts": 3}).encode()):
        book.write_bytes(damage)
        assert growth(aged.workspace, now=NOW) == found
    book.unlink()
    assert growth(aged.workspace, now=NOW) == found


def test_what_there_was_no_time_for_is_said(aged: Sandbox) -> None:
    ticks = iter(range(0, 10_000, 100))
    found = growth(aged.workspace, now=NOW, patience=150, clock=lambda: next(ticks))
    assert any("no time left" in note for note in found.notes)
    assert found.points[-1].measured == found.now
    assert len(found.points) < 41


def test_without_a_repository_only_today_is_known(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare", repository=False)
    found = growth(made.workspace, now=NOW)
    assert [point.measured for point in found.points] == [found.now]
    assert found.now.memory == Size(len(MEMORY_TEXT), 2)
    assert "is not known" in found.notes[0]


def test_an_empty_folder_has_no_size(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "none", repository=False)
    for path in (LOG, "MEMORY.md", "episodes/2026/03/e1.md"):
        (made.root / path).unlink()
    found = growth(made.workspace, now=NOW)
    assert found.now.memory == Size()
    assert found.now.logs == Size()


def test_absurd_clocks_do_not_stretch_the_line(aged: Sandbox) -> None:
    commit_at(aged, datetime(1971, 1, 1, tzinfo=UTC), "the battery was empty")
    commit_at(aged, datetime(2090, 1, 1, tzinfo=UTC), "from the future")
    found = growth(aged.workspace, now=NOW)
    assert found.unit == "year"
    assert len(found.points) <= SAMPLES
    assert entries(found)[-1] == 6


def test_nothing_is_written_where_nothing_may_be(aged: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.health.growth.write_json", _refused)
    assert len(growth(aged.workspace, now=NOW).points) == 41
    assert not (aged.root / ".workbench" / "growth.json").exists()


def _refused(*_: object) -> None:
    raise PermissionError(30, "read-only")


@pytest.mark.parametrize(
    "number", [-1, 10**30, 10**400, 1.5, True, "1", None, []], ids=lambda one: str(one)[:9]
)
def test_numbers_that_cannot_be_are_measured_again(number: object, aged: Sandbox) -> None:
    right = growth(aged.workspace, now=NOW)
    book = aged.root / ".workbench" / "growth.json"
    kept = json.loads(book.read_text())
    kept["commits"] = {name: [number, *row[1:]] for name, row in kept["commits"].items()}
    kept["texts"] = {name: [number, *row[1:]] for name, row in kept["texts"].items()}
    book.write_text(json.dumps(kept))
    assert growth(aged.workspace, now=NOW) == right
