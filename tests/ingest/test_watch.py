"""Transcripts are followed as they grow: saved when it is time, taken in when they are complete."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.sessions import append, claw, jsonl, plain
from tests.support.transcripts import NOW, compaction
from tests.support.workspaces import EPISODE, EPISODE_TEXT, Sandbox
from workbench.errors import ReadOnlyError
from workbench.ingest.episodes import episodes
from workbench.ingest.watch import Event, Follower
from workbench.workspace.workspace import Workspace

BIRTHDAY = "Please remember that my birthday is on 3 May."
DECISION = "We decided to use tantivy for the search of Project Atlas."
LOG = "memory/2026-03-20.md"


class Clock:
    """The time that a test says."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class World:
    """A workspace, a folder of transcripts that its settings name, and somebody who follows them."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.folder = folder
        folder.mkdir()
        self.clock = Clock()
        settings = replace(sandbox.workspace.settings, transcripts=(str(folder),))
        self.workspace = Workspace(sandbox.root, settings)
        self.restart()

    def restart(self) -> None:
        self.follower = Follower(self.workspace, clock=self.clock)

    def says(self, name: str, data: bytes) -> Path:
        """Somebody writes at the time of now."""
        path = self.folder / name
        append(path, data)
        os.utime(path, (self.clock.now.timestamp(),) * 2)
        return path

    def talks(self, name: str, *said: str) -> Path:
        """A person says something now."""
        stamp = self.clock.now.isoformat()
        return self.says(
            name, jsonl(*({"role": "user", "content": text, "timestamp": stamp} for text in said))
        )

    def round(self, *, after: float = 0.0) -> list[Event]:
        self.clock.now += timedelta(seconds=after)
        """What became of transcripts and episodes; logs, which a flush writes too, are told of apart."""
        return [event for event in self.follower.round() if not event.source.endswith(".md")]

    def kinds(self, *, after: float = 0.0) -> list[tuple[str, str]]:
        return [(event.kind, event.why) for event in self.round(after=after)]

    def log(self) -> str:
        path = self.sandbox.root / LOG
        return path.read_text() if path.exists() else ""


@pytest.fixture
def world(sandbox: Sandbox, tmp_path: Path) -> Iterator[World]:
    made = World(sandbox, tmp_path / "t")
    yield made
    made.workspace.close()


def test_a_few_messages_wait_and_fifteen_are_saved_at_once(world: World) -> None:
    world.talks("s.jsonl", BIRTHDAY, *("Fine." for _ in range(3)))
    assert world.kinds() == [("waiting", "4 new messages of 4 lines: waits for more")]
    assert world.log() == ""
    assert world.kinds() == []  # told once
    world.talks("s.jsonl", *("All right." for _ in range(11)))
    assert world.kinds() == [("flushed", "messages")]
    assert BIRTHDAY in world.log()


def test_five_messages_wait_two_minutes_at_most(world: World) -> None:
    world.talks("s.jsonl", BIRTHDAY, *("Fine." for _ in range(4)))
    world.round()
    assert world.kinds(after=119) == []
    assert world.kinds(after=1) == [("flushed", "interval")]


@pytest.mark.parametrize(("size", "why"), [(100_001, "bytes"), (10, "lines")])
def test_what_programs_wrote_counts_by_its_size(world: World, size: int, why: str) -> None:
    lines = 1 if why == "bytes" else 49
    result = {"type": "message", "message": {"role": "toolResult", "content": "o" * size}}
    world.talks("s.jsonl", BIRTHDAY)
    world.says("s.jsonl", jsonl(*([result] * lines)))
    assert world.kinds() == [("flushed", why)]


def test_a_session_that_went_quiet_is_saved_and_becomes_an_episode(world: World) -> None:
    world.talks("s.jsonl", BIRTHDAY, DECISION)
    assert [kind for kind, _ in world.kinds()] == ["waiting"]
    assert world.kinds(after=301) == [("flushed", "quiet"), ("taken", "completed")]
    assert BIRTHDAY in world.log()
    assert len(list(episodes(world.workspace))) == 2
    assert world.kinds(after=600) == []


def test_before_a_compaction_facts_are_saved_once_a_cycle(world: World) -> None:
    world.workspace.settings = replace(world.workspace.settings, flush_messages=3)
    world.talks("s.jsonl", BIRTHDAY, "One.", "Two.", "Three.")
    assert world.kinds() == [("flushed", "before it is compacted: messages")]
    world.talks("s.jsonl", DECISION)
    assert [kind for kind, _ in world.kinds()] == ["waiting"]
    world.says("s.jsonl", compaction("They spoke of a birthday."))
    assert world.kinds() == [("flushed", "compacted"), ("taken", "compacted")]
    assert DECISION in world.log()
    world.talks("s.jsonl", "Four.", "Five.", "Six.", "Seven.")
    assert world.kinds() == [("flushed", "before it is compacted: messages")]


def test_a_compaction_of_what_was_saved_already_closes_the_episode(world: World) -> None:
    world.talks("s.jsonl", *(f"{DECISION[:-1]} {n}." for n in range(15)))
    assert world.kinds() == [("flushed", "messages")]
    world.says("s.jsonl", compaction("They spoke of the search.") + jsonl({"role": "user", "content": "Hm."}))
    found = world.kinds(after=301)
    assert ("taken", "completed") in found
    ids = sorted(one.turns for one in episodes(world.workspace) if one.turns)
    assert ids[-1] == 15


def test_a_watcher_that_starts_again_goes_on_where_the_last_one_was(world: World) -> None:
    world.talks("s.jsonl", BIRTHDAY, *("Fine." for _ in range(14)))
    world.round()
    before = world.log()
    world.restart()
    assert world.kinds() == []
    world.talks("s.jsonl", DECISION, *("Fine." for _ in range(14)))
    assert world.kinds() == [("flushed", "messages")]
    assert world.log().startswith(before)
    assert world.log().count(BIRTHDAY) == 1


def test_excluded_and_unreadable_transcripts_are_told_once_and_the_others_followed(world: World) -> None:
    cron = {"role": "user", "content": BIRTHDAY, "sessionKey": "agent:main:cron:j1"}
    world.says("cron.jsonl", jsonl(*([cron] * 60)))
    world.says("bad.jsonl", b"\xff\n" * 60)
    world.talks("z.jsonl", BIRTHDAY, *("Fine." for _ in range(14)))
    found = {Path(event.source).name: (event.kind, event.why) for event in world.round()}
    assert found["cron.jsonl"] == ("skipped", "excluded (cron): its key is agent:main:cron:j1")
    assert found["bad.jsonl"] == (
        "flushed",
        "lines; 60 lines cannot be read: bad.jsonl:1, bad.jsonl:2, bad.jsonl:3, …",
    )
    assert found["z.jsonl"] == ("flushed", "messages")
    assert world.kinds() == []
    assert world.log().count(BIRTHDAY) == 1


def test_what_could_not_be_written_is_tried_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.talks("s.jsonl", BIRTHDAY, *("Fine." for _ in range(14)))
    folder = str(world.sandbox.root / "memory")
    monkeypatch.setattr(
        os, "access", lambda place, mode, **_: not (str(place).startswith(folder) and mode & 2)
    )
    ((kind, why),) = world.kinds()
    assert kind == "skipped"
    assert "is read-only" in why
    monkeypatch.undo()
    assert world.kinds() == [("flushed", "messages")]


def test_expired_episodes_go_every_six_hours(world: World) -> None:
    world.clock.now = datetime.now(UTC)  # as the history of the workspace says
    for number in range(2, 6):  # so that it is not most of the queue
        page = EPISODE_TEXT.replace("id: e1", f"id: e{number}").replace("1:0", f"{number}:0")
        world.sandbox.write(EPISODE.replace("e1", f"e{number}"), page.replace("2026-06-12", "2126-06-12"))
    (pruned,) = world.round()
    assert (pruned.kind, pruned.source) == ("pruned", "episodes")
    assert not (world.sandbox.root / EPISODE).exists()
    world.sandbox.write(EPISODE, EPISODE_TEXT)
    assert world.kinds(after=5 * 3_600) == []
    assert [kind for kind, _ in world.kinds(after=3_601)] == ["pruned"]


@pytest.mark.promise(
    "From sessions to long-term memory", "midnight, a changed clock, or a clock set back during a session"
)
def test_a_clock_that_is_set_back_stops_nothing(world: World) -> None:
    world.talks("s.jsonl", BIRTHDAY)
    world.round()
    world.clock.now -= timedelta(days=400)
    assert [kind for kind, _ in world.kinds()] == ["flushed", "taken"]
    assert BIRTHDAY in (world.sandbox.root / "memory/2025-02-13.md").read_text()
    world.clock.now += timedelta(days=400)
    assert world.kinds() == []


def test_changes_are_followed_as_they_come_until_it_is_told_to_end(world: World) -> None:
    stop = threading.Event()
    said: list[str] = []
    changes = iter(range(3))

    def watch(*folders: str, **_: object) -> Iterator[set[tuple[int, str]]]:
        assert str(world.folder) in folders
        yield set()
        for number in changes:
            path = world.talks(f"{number}.jsonl", f"{DECISION[:-1]} {number}.", *("Fine." for _ in range(14)))
            yield {(1, str(path))}
        while True:
            yield set()

    found = []
    for event in world.follower.follow(stop, said.append, watch=watch):
        found += [Path(event.source).name] if event.source.endswith(".jsonl") else []
        if len(found) == 3:
            stop.set()
    assert sorted(found) == ["0.jsonl", "1.jsonl", "2.jsonl"]
    assert said == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_program_follows_until_a_signal_and_says_what_it_did(
    sandbox: Sandbox, tmp_path: Path, person: Path, how: signal.Signals
) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (person / "settings.yaml").write_text(f"transcripts: ['{folder}']\n")
    (sandbox.root / EPISODE).unlink()  # it expired
    project = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "workbench", "-w", str(sandbox.root), "watch"]
    append(folder / "a.jsonl", plain(("user", BIRTHDAY), *(("user", "Fine."),) * 14))
    with subprocess.Popen(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "a.jsonl: 1 fact saved (messages)" in process.stdout.readline()
        append(folder / "b.jsonl", claw(("user", DECISION), *(("user", "Fine."),) * 14))
        line = process.stdout.readline()
        while ".md: " in line:  # what the logs of the workspace, and the one that was just written, teach
            assert line.rstrip().endswith("(new lines)")
            line = process.stdout.readline()
        assert "b.jsonl: 1 fact saved (messages)" in line
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert all("(new lines)" in line for line in out.splitlines())
    assert f"reading transcripts in {folder}" in err


def test_only_logs_that_changed_teach_and_one_that_fails_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(world.follower.round())
    world.sandbox.write("memory/2026-03-19.md", f"# Day\n\n- User: {DECISION}\n")
    read: list[str] = []
    real = Workspace.document

    def document(self: Workspace, path: str) -> object:
        read.append(path)
        if path.startswith("memory/2026-03-19") and world.clock.now == NOW:
            raise ReadOnlyError(path)
        return real(self, path)

    monkeypatch.setattr(Workspace, "document", document)
    (failed,) = world.follower.round()
    assert (failed.kind, failed.source) == ("failed", "memory/2026-03-19.md")
    assert "memory/2026-03-14.md" not in read
    assert world.follower.failing
    world.clock.now += timedelta(seconds=1)
    (taken,) = world.follower.round()
    assert taken.sentence() == "memory/2026-03-19.md: 1 memory (new lines)"
    assert world.follower.failing == {}
    read.clear()
    assert list(world.follower.round()) == []
    assert read == []
