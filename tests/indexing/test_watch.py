"""Watching: the watcher is a hint, the clock is the truth, and without a watcher files are polled."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.sync.freshness import freshness
from indexing.sync.report import SyncReport
from indexing.sync.run import reindex
from indexing.sync.sources import IndexSources
from indexing.sync.watch import (
    DEBOUNCE_SECONDS,
    LONGEST_SECONDS,
    IndexFollower,
    Pause,
    SyncRun,
    Watch,
    hints,
    occasions,
)
from tests.indexing.conftest import Memory, Owner
from tests.support.sessions import append, plain
from workbench.workspace.locks import hold

NOTHING: frozenset[str] = frozenset()
SOMETHING = frozenset({"MEMORY.md"})


class Scripted:
    """Hints at the times of a script, and the clock that they are read by."""

    def __init__(self, *script: tuple[float, frozenset[str]]) -> None:
        self._script = script
        self._now = 0.0

    def __iter__(self) -> Iterator[frozenset[str]]:
        for now, changed in self._script:
            self._now = now
            yield changed

    def clock(self) -> float:
        return self._now

    def occasions(self) -> list[tuple[float, str]]:
        return [(self._now, why) for why in occasions(self, Pause(), clock=self.clock)]


def test_a_series_of_changes_is_one_occasion_after_a_pause() -> None:
    quiet = ((second, NOTHING) for second in (3.0, 3.4, 3.5, 9.0))
    script = Scripted((0.0, NOTHING), (1.0, SOMETHING), (2.0, SOMETHING), *quiet)
    assert DEBOUNCE_SECONDS == 1.5
    assert script.occasions() == [(0.0, "start"), (3.5, "change")]


def test_who_writes_without_a_break_does_not_put_it_off_for_ever() -> None:
    script = Scripted((0.0, NOTHING), *((float(second), SOMETHING) for second in range(1, 13)))
    assert script.occasions() == [(0.0, "start"), (1 + LONGEST_SECONDS, "change")]


def test_without_a_hint_the_clock_looks() -> None:
    script = Scripted(*((float(second), NOTHING) for second in range(0, 65, 5)))
    assert script.occasions() == [(0.0, "start"), (30.0, "clock"), (60.0, "clock")]


class Following:
    """What keeps a memory's index up to date, asked for one run after the other."""

    def __init__(self, memory: Memory, *, watch: Watch | None = None) -> None:
        self.stop = threading.Event()
        self.said: list[str] = []
        pause = Pause(quiet=0.0)
        keeping = IndexFollower(
            memory.root, self.stop, self.said.append, vectors=False, watch=watch, pause=pause
        )
        self._runs = keeping.runs()

    def run(self) -> SyncRun:
        return next(self._runs)

    def report(self) -> SyncReport:
        report = self.run().report
        assert report is not None
        return report

    def end(self) -> list[SyncRun]:
        self.stop.set()
        return list(self._runs)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock looks often, and so does polling."""
    monkeypatch.setattr("indexing.sync.watch.RECONCILE_SECONDS", 0.2)
    monkeypatch.setattr("indexing.sync.watch.POLL_SECONDS", 0.05)


def test_changes_are_indexed_as_they_come_and_it_ends_when_told(filled: Memory) -> None:
    following = Following(filled)
    assert following.run().why == "start"
    filled.write("memory/2026-03-16.md", "A quokka")
    assert following.report().added == 1
    filled.write("memory/2026-03-16.md", "A wombat")
    assert following.report().changed == 1
    (filled.root / "memory/2026-03-16.md").unlink()
    assert following.report().removed == 1
    assert following.end() == []
    assert following.said == []


@pytest.mark.promise(
    "The index",
    "a file event never arrives; changes while a watcher starts or a folder is new",
)
def test_a_new_folder_is_watched_with_what_is_in_it(filled: Memory) -> None:
    following = Following(filled)
    following.run()
    filled.write("memory/new/deep/a.md", "A quokka")
    added = following.report().added
    filled.write("memory/new/deep/b.md", "A wombat")
    while added < 2:
        added += following.report().added
    assert filled.found("wombat") == ["memory/new/deep/b.md"]
    assert following.end() == []


def test_a_file_that_is_saved_by_rename_is_noticed(filled: Memory) -> None:
    following = Following(filled)
    following.run()
    fresh = filled.root / "memory/projects/.atlas.md.swp"
    fresh.write_text("- A quokka\n")
    os.replace(fresh, filled.root / "memory/projects/atlas.md")
    assert following.report().changed == 1
    assert following.end() == []


def test_extra_paths_and_transcripts_are_watched_by_their_thresholds(
    owner: Owner, notes: Path, sessions: Path, quick: None
) -> None:
    memory = owner.opens(extra_paths=[notes / "garden.md"], transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    following = Following(memory)
    following.run()
    append(sessions / "s91.jsonl", plain(("user", "Saw a heron")))
    (notes / "garden.md").write_text("- The wombat digs\n")
    report = following.report()
    assert (report.changed, report.waiting) == (1, 1)
    append(sessions / "s91.jsonl", plain(*(("user", f"Saw heron {number}") for number in range(60))))
    assert following.report().changed == 1
    assert memory.found("heron")
    assert following.end() == []


@pytest.mark.promise(
    "The index",
    "a file event never arrives; changes while a watcher starts or a folder is new",
    "found by the regular scan; found by the following run",
)
def test_the_clock_finds_what_no_hint_told_of(filled: Memory, quick: None) -> None:
    def deaf(*folders: str, stop_event: threading.Event, **_: object) -> Iterator[set[tuple[int, str]]]:
        while not stop_event.wait(0.05):
            yield set()

    following = Following(filled, watch=deaf)
    following.run()
    filled.write("memory/2026-03-16.md", "A quokka")
    run = following.run()
    assert (run.why, run.report and run.report.added) == ("clock", 1)
    assert following.end() == []


@pytest.mark.promise(
    "The index", "inotify is exhausted, or file events are unavailable", "files are polled, with a note"
)
@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "OS file watch limit reached"),
        OSError(errno.EMFILE, "Too many open files"),
        RuntimeError("Error creating recommended watcher"),
        ImportError("No module named 'watchfiles'"),
    ],
    ids=["watches", "instances", "internal", "missing"],
)
def test_without_a_watcher_files_are_polled_and_that_is_said(
    filled: Memory, error: Exception, quick: None
) -> None:
    def refused(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        raise error

    following = Following(filled, watch=refused)
    following.run()
    filled.write("memory/2026-03-16.md", "A quokka")
    assert following.report().added == 1
    assert len(following.said) == 1
    assert "cannot be watched" in following.said[0]
    assert str(error) in following.said[0]
    assert following.end() == []


def test_what_came_into_a_folder_before_it_was_watched_is_told_of(memory: Memory) -> None:
    memory.write("MEMORY.md", "Tea")
    stop = threading.Event()
    watched: list[set[str]] = []

    def watch(*folders: str, **_: object) -> Iterator[set[tuple[int, str]]]:
        watched.append({os.path.relpath(folder, memory.root) for folder in folders})
        if len(watched) == 1:
            memory.write("memory/a.md", "A quokka")
            yield {(1, str(memory.root / "memory"))}
        memory.write("memory/b.md", "Came before anybody watched")
        yield set()
        stop.set()

    found = list(hints(lambda: IndexSources(memory.workspace), stop, lambda _: None, watch=watch))
    assert watched == [{"."}, {".", "memory"}]
    assert found == [{"memory"}, {"."}]


def test_what_does_not_matter_is_not_watched(memory: Memory) -> None:
    memory.write("MEMORY.md", "Tea")
    for number in range(50):
        memory.write(f"node_modules/package{number}/README.md", "x")
        memory.write(f"src/module{number}/main.md", "x")
    memory.write("memory/a/b.md", "x")
    folders = {os.path.relpath(folder, memory.root) for folder in IndexSources(memory.workspace).folders()}
    assert folders == {".", "memory", "memory/a"}


@pytest.mark.promise("The index", "two processes reindex at once")
def test_a_second_process_is_busy_and_its_turn_comes(filled: Memory, quick: None) -> None:
    following = Following(filled)
    following.run()
    with hold(filled.root / ".workbench/index.lock", "reindex"):
        filled.write("memory/2026-03-16.md", "A quokka")
        run = following.run()
        assert run.error is not None
        assert run.error.code == "busy"
    assert following.report().added == 1
    assert following.end() == []


@pytest.mark.promise(
    "The index",
    "settings are wrong for a moment during `reindex --watch`",
    "reported once; it continues",
)
def test_an_error_is_told_once_and_does_not_end_it(filled: Memory, quick: None) -> None:
    following = Following(filled)
    following.run()
    (filled.root / "workbench.yaml").write_text("include: [\n")
    run = following.run()
    assert run.error is not None
    assert "not a YAML mapping" in run.error.message
    (filled.root / "workbench.yaml").write_text("include: ['docs/**/*.md']\n")
    filled.write("docs/a.md", "A quokka")
    assert following.report().added == 1
    assert Memory(filled.root).found("quokka") == ["docs/a.md"]
    assert following.end() == []


@pytest.mark.promise("The index", "SIGINT or SIGTERM during `reindex --watch`, also within a run")
def test_a_run_that_is_broken_off_leaves_an_index_that_the_next_one_finishes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        memory.write(f"memory/{number}.md", f"Note {number}")
    following = Following(memory)
    tell = IndexFollower._break_off

    def soon(keeping: IndexFollower, progress: object) -> None:
        if getattr(progress, "phase", "") == "words" and getattr(progress, "done", 0) >= 50:
            following.stop.set()
        tell(keeping, progress)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(IndexFollower, "_break_off", soon)
        assert list(following._runs) == []
    assert freshness(memory.workspace).state != "fresh"
    assert reindex(memory.workspace, vectors=False).failed == {}
    assert freshness(memory.workspace).state == "fresh"
    assert memory.found("note")


def test_hints_end_when_told_also_while_polling(filled: Memory) -> None:
    stop = threading.Event()
    stop.set()
    assert list(hints(lambda: IndexSources(filled.workspace), stop, lambda _: None)) == []

    def refused(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        raise OSError(errno.ENOSPC, "full")

    assert list(hints(lambda: IndexSources(filled.workspace), stop, lambda _: None, watch=refused)) == []
