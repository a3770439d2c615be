"""Completed sessions become episodes and teach the graph; each source is taken in once, by itself."""

from __future__ import annotations

import os
import subprocess
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.sessions import append, claw, code, jsonl, plain
from tests.support.transcripts import NOW, ORDERS, REAL_SUMMARY, compact_summary, compaction, store
from tests.support.workspaces import EPISODE, LOG, MEMORY, Sandbox
from workbench.ingest.episodes import episode_of, episodes, plan_episode
from workbench.ingest.graph_update import unlearnt
from workbench.ingest.ingest import Ingest, IngestedSource
from workbench.ingest.outcomes import why_left_out, why_nothing
from workbench.ingest.sessions import Checkpoints, read_new
from workbench.ingest.transcript_files import look
from workbench.memory.transcript import Session
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Plan
from workbench.workspace.seal import Seal
from workbench.workspace.workspace import Workspace

pytestmark = [
    pytest.mark.promise("From sessions to long-term memory", "a flush or an ingest is killed"),
]

TALK = (
    ("user", "We decided to use tantivy for the search of Project Atlas."),
    ("assistant", "Noted: tantivy it is for Project Atlas, with the index in the workspace folder."),
    ("user", "Please remember that my birthday is on 3 May."),
)
MORE = (
    ("user", "We decided to move Project Atlas to Postgres 16 in June."),
    ("assistant", "Understood, the move to Postgres 16 is planned for June."),
)
LATER = datetime(2026, 3, 14, 10, tzinfo=UTC).timestamp()


def transcript(path: Path, data: bytes, *, changed: float = LATER) -> Path:
    """A transcript that nobody has written to for days."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (changed, changed))
    return path


def headless(data: bytes) -> bytes:
    return data.partition(b"\n")[2]


def grow(path: Path, data: bytes, *, changed: float = LATER + 3_600) -> None:
    append(path, data)
    os.utime(path, (changed, changed))


def take(sandbox: Sandbox, path: Path, *, now: datetime = NOW) -> IngestedSource:
    """One look at a transcript, by a new process as it were."""
    checkpoints = Checkpoints.read(sandbox.workspace, "episode")
    return Ingest(sandbox.workspace, now=now).transcript(look(str(path)), checkpoints)


def turns_of(sandbox: Sandbox) -> dict[str, int]:
    """The episodes of sessions in transcripts, with how many turns they hold."""
    return {one.source_id: one.turns for one in episodes(sandbox.workspace) if one.source_id and one.turns}


@pytest.mark.parametrize(
    ("data", "source_id"),
    [(claw(*TALK), "s91:0"), (code(*TALK), "c7d1:0"), (plain(*TALK), None)],
    ids=["openclaw", "claude code", "plain"],
)
def test_a_completed_session_becomes_an_episode_and_teaches_the_graph(
    sandbox: Sandbox, tmp_path: Path, data: bytes, source_id: str | None
) -> None:
    taken = take(sandbox, transcript(tmp_path / "t/s.jsonl", data))
    assert (taken.outcome, len(taken.episodes)) == ("taken", 1)
    assert [operation.actor for operation in taken.operations] == ["ingest"] * len(taken.operations)
    assert [operation.action for operation in taken.operations] == ["summarise", "learn"]
    assert taken.memories > 0
    (found,) = turns_of(sandbox).items()
    assert found[1] == 3
    assert source_id is None or found[0] == source_id
    assert b"tantivy" in sandbox.read(taken.episodes[0])
    assert any((sandbox.root / "graph").rglob("*.md"))


def test_what_was_taken_in_is_unchanged_the_next_time(sandbox: Sandbox, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    take(sandbox, path)
    head = sandbox.git("rev-parse", "HEAD")
    records = list(sandbox.workspace.ledger.read("ingested"))
    again = take(sandbox, path)
    assert (again.outcome, again.why) == ("unchanged", "nothing new in it")
    assert sandbox.git("rev-parse", "HEAD") == head
    assert list(sandbox.workspace.ledger.read("ingested")) == records


def test_a_session_that_goes_on_gets_one_episode_of_all_of_it(sandbox: Sandbox, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    first = take(sandbox, path)
    grow(path, headless(claw(*MORE)))
    again = take(sandbox, path)
    assert again.episodes == first.episodes
    assert turns_of(sandbox) == {"s91:0": 5}
    assert take(sandbox, path).outcome == "unchanged"


def test_an_episode_that_somebody_edited_stays_and_what_came_later_is_another(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    (page,) = take(sandbox, path).episodes
    edited = sandbox.read(page) + b"\nMy own words.\n"
    sandbox.write(page, edited)
    grow(path, headless(claw(*MORE)))
    take(sandbox, path)
    assert sandbox.read(page) == edited
    assert turns_of(sandbox) == {"s91:0": 3, "s91:1": 2}
    grow(path, headless(claw(("user", "We decided to name the release Heron."))), changed=LATER + 7_200)
    take(sandbox, path)
    assert turns_of(sandbox) == {"s91:0": 3, "s91:1": 3}


def test_an_episode_that_was_undone_does_not_return_and_what_came_later_is_kept(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    taken = take(sandbox, path)
    for operation in reversed(taken.operations):
        sandbox.workspace.operations.carry_out(lambda: plan_undo(sandbox.workspace, operation.id))  # noqa: B023
    assert turns_of(sandbox) == {}
    assert take(sandbox, path).outcome == "unchanged"
    assert turns_of(sandbox) == {}


@pytest.mark.parametrize("marked", [True, False], ids=["marked", "like a person's words"])
def test_the_orders_of_a_compaction_summary_reach_no_memory(
    sandbox: Sandbox, tmp_path: Path, marked: bool
) -> None:
    summed_up = compact_summary(REAL_SUMMARY) if marked else code(("user", REAL_SUMMARY))
    taken = take(sandbox, transcript(tmp_path / "c7d1.jsonl", code(*TALK) + summed_up + code(*MORE)))
    assert turns_of(sandbox) == {"c7d1:0": 3, "c7d1:1": 2}
    written = "\n".join(path.read_text() for path in sorted(sandbox.root.rglob("*.md")))
    assert "every night at 02:30 with PostgreSQL 17" in sandbox.read(taken.episodes[0]).decode()
    assert [order for order in ORDERS if order.casefold() in written.casefold()] == []


def test_each_compaction_closes_an_episode_and_the_last_one_waits(sandbox: Sandbox, tmp_path: Path) -> None:
    data = claw(*TALK) + compaction("They chose tantivy for the search.") + headless(claw(*MORE))
    path = transcript(tmp_path / "s.jsonl", data, changed=NOW.timestamp())
    taken = take(sandbox, path)
    assert taken.outcome == "taken"
    assert taken.why == "session s91 is still going on"
    assert turns_of(sandbox) == {"s91:0": 3}
    found = episode_of(sandbox.workspace, "s91:0")
    assert found is not None
    assert "They chose tantivy for the search." in sandbox.read(found.path).decode()
    take(sandbox, path, now=NOW + timedelta(minutes=5))
    assert turns_of(sandbox) == {"s91:0": 3, "s91:1": 2}


def test_a_session_that_is_going_on_waits_unless_it_is_named(sandbox: Sandbox, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK), changed=NOW.timestamp() - 10)
    waiting = take(sandbox, path)
    assert (waiting.outcome, waiting.why) == ("waiting", "session s91 is still going on")
    assert turns_of(sandbox) == {}
    (named,) = Ingest(sandbox.workspace, now=NOW).transcripts([str(path)])
    assert named.outcome == "taken"


@pytest.mark.promise(
    "From sessions to long-term memory",
    "one source cannot be read",
    "the others are ingested",
)
def test_one_source_that_fails_does_not_stop_the_others(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    transcript(folder / "a.jsonl", claw(*TALK, session="aa"))
    transcript(folder / "b.jsonl", b"\xff\x00 nothing that anybody can read\n")
    transcript(folder / "c.jsonl", claw(*MORE, session="cc"))
    transcript(folder / "d.jsonl", b"")
    transcript(folder / "e.jsonl", plain(*TALK)[:40])
    transcript(folder / "f.jsonl", jsonl({"type": "session", "id": "ff"}))
    cron = jsonl({"role": "user", "content": "x", "sessionKey": "agent:main:cron:j1"})
    transcript(folder / "g.jsonl", cron)
    os.mkfifo(folder / "h.jsonl")
    gone = str(tmp_path / "gone.jsonl")
    found = {
        Path(one.source).name: (one.outcome, one.why)
        for one in Ingest(sandbox.workspace, now=NOW).transcripts(
            [str(folder), gone, str(folder / "h.jsonl")]
        )
    }
    assert found == {
        "gone.jsonl": ("refused", "it does not exist"),
        "h.jsonl": ("refused", "it is a link or not a plain file"),
        "a.jsonl": ("taken", ""),
        "b.jsonl": ("unchanged", why_nothing(1, 1, anew=False)),
        "c.jsonl": ("taken", ""),
        "d.jsonl": ("unchanged", "it is empty"),
        "e.jsonl": ("waiting", "its last line is still being written"),
        "f.jsonl": ("unchanged", why_nothing(1, 0, anew=False)),
        "g.jsonl": ("excluded", why_left_out("excluded (cron): its key is agent:main:cron:j1", 1)),
    }
    assert turns_of(sandbox) == {"aa:0": 3, "cc:0": 2}


def test_what_was_found_where_nobody_speaks_is_told_each_time_anew(sandbox: Sandbox, tmp_path: Path) -> None:
    call = {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}
    quiet = jsonl({"type": "session", "id": "s91"}, {"role": "assistant", "content": [call]})
    path = transcript(tmp_path / "s.jsonl", quiet)
    assert take(sandbox, path).why.startswith("no messages in its 2 lines: only those of a user")
    assert take(sandbox, path).why == "nothing new in it"
    grow(path, jsonl({"role": "assistant", "content": [call]}) + b"{oops\n")
    told = take(sandbox, path)
    assert (told.outcome, told.bad) == ("unchanged", (4,))
    assert told.why.startswith("no messages in the 2 lines since it was last read")
    grow(path, b"{oops\n", changed=LATER + 7_200)
    assert take(sandbox, path).why.startswith("nothing can be read in the 1 line since it was last read")
    grow(path, plain(*TALK), changed=LATER + 9_000)
    assert take(sandbox, path).outcome == "taken"


def test_a_transcript_that_was_written_anew_without_a_new_word_says_so(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    assert take(sandbox, path).outcome == "taken"
    transcript(path, claw() + headless(claw(TALK[0], day="2026-03-13")), changed=LATER + 3_600)
    told = take(sandbox, path)
    assert (told.outcome, told.why) == ("unchanged", "it was rewritten, without anything new")


def test_a_failure_within_one_source_is_told_and_the_next_one_is_taken(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan(workspace: Workspace, session: Session, *, now: datetime, **_: object) -> Plan:
        if session.key == "aa":
            raise RecursionError("as deep as the sea")
        return plan_episode(workspace, session, now=now)

    monkeypatch.setattr("workbench.ingest.ingest.plan_episode", plan)
    transcript(tmp_path / "t/a.jsonl", claw(*TALK, session="aa"))
    transcript(tmp_path / "t/c.jsonl", claw(*MORE, session="cc"))
    first, second = Ingest(sandbox.workspace, now=NOW).transcripts([str(tmp_path / "t")])
    assert (first.outcome, first.why) == ("failed", "RecursionError: as deep as the sea")
    assert second.outcome == "taken"
    monkeypatch.undo()
    again, _ = Ingest(sandbox.workspace, now=NOW).transcripts([str(tmp_path / "t")])
    assert again.outcome == "taken"


def test_lines_that_cannot_be_read_are_named(sandbox: Sandbox, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK) + b"{oops\n" + headless(claw(*MORE)))
    taken = take(sandbox, path)
    assert taken.bad == (5,)
    assert taken.as_json()["bad_lines"] == [f"{path}:5"]
    assert turns_of(sandbox) == {"s91:0": 5}


def test_what_is_too_old_is_left_and_taken_when_it_is_asked_for(sandbox: Sandbox, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    (left,) = Ingest(sandbox.workspace, now=NOW, max_age=5).transcripts([str(path)])
    assert (left.outcome, left.why) == ("old", "its last message is 6 days old")
    (taken,) = Ingest(sandbox.workspace, now=NOW, max_age=7).transcripts([str(path)])
    assert taken.outcome == "taken"


def test_whose_session_it_is_can_be_told(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "agents/ops/sessions"
    path = transcript(folder / "s.jsonl", claw(*TALK))
    transcript(folder / "sessions.json", store(**{"agent:ops:main": {"sessionId": "s91"}}))
    list(Ingest(sandbox.workspace, now=NOW, user="sam").transcripts([str(path)]))
    found = episode_of(sandbox.workspace, "s91:0")
    assert found is not None
    assert (found.user, found.agent) == ("sam", "ops")


def test_a_dry_run_shows_and_writes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    head, before = sandbox.git("rev-parse", "HEAD"), sandbox.snapshot()
    (taken,) = Ingest(sandbox.workspace, now=NOW, dry_run=True).transcripts([str(path)])
    assert "tantivy" in taken.as_json()["diff"]
    assert not taken.operations
    list(Ingest(sandbox.workspace, now=NOW, dry_run=True).markdown())
    assert (sandbox.git("rev-parse", "HEAD"), sandbox.snapshot()) == (head, before)
    assert not (sandbox.root / "_system").exists()


def test_logs_and_episodes_teach_the_graph_once_and_what_was_added_again(sandbox: Sandbox) -> None:
    first = {one.source: one.outcome for one in Ingest(sandbox.workspace, now=NOW).markdown()}
    assert first == {LOG: "unchanged", EPISODE: "taken", MEMORY: "unchanged"}
    again = {one.source: (one.outcome, one.why) for one in Ingest(sandbox.workspace, now=NOW).markdown()}
    assert again == dict.fromkeys((LOG, EPISODE, MEMORY), ("unchanged", "nothing new in it"))
    sandbox.write(LOG, sandbox.read(LOG) + b"\n- User: I live in Osaka since the spring\n")
    later = NOW + timedelta(hours=1)
    third = {one.source: one.outcome for one in Ingest(sandbox.workspace, now=later).markdown()}
    assert third == {LOG: "taken", EPISODE: "unchanged", MEMORY: "unchanged"}
    old = {one.source: one.outcome for one in Ingest(sandbox.workspace, now=NOW, max_age=3).markdown()}
    assert set(old.values()) == {"unchanged"}


def test_logs_that_teach_nothing_are_read_once_and_bring_no_commit(sandbox: Sandbox) -> None:
    list(Ingest(sandbox.workspace, now=NOW).markdown())
    sandbox.write("memory/2026-03-15.md", "# 2026-03-15\n\n- ok thanks\n- $ git status\n")
    sandbox.commit("a quiet day")
    head = sandbox.git("rev-parse", "HEAD")
    for dry_run in (True, False, False):
        ingest = Ingest(sandbox.workspace, now=NOW, dry_run=dry_run)
        told = {one.source: one.outcome for one in ingest.markdown()}
        assert told["memory/2026-03-15.md"] == "unchanged"
    assert unlearnt(sandbox.workspace) == {}
    assert sandbox.git("rev-parse", "HEAD") == head


def test_a_page_that_is_no_memory_fails_and_says_so(sandbox: Sandbox) -> None:
    (one,) = Ingest(sandbox.workspace, now=NOW).markdown(["README-of-nothing.md"])
    assert one.outcome == "failed"
    (outside,) = Ingest(sandbox.workspace, now=NOW).markdown(["/etc/hosts.md"])
    assert outside.outcome == "failed"
    assert outside.why


def test_a_setting_that_makes_no_sense_fails_each_source_with_the_reason(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    from dataclasses import replace

    path = transcript(tmp_path / "s.jsonl", claw(*TALK))
    sandbox.workspace.settings = replace(sandbox.workspace.settings, episode_days=10**9)
    (taken,) = Ingest(sandbox.workspace, now=NOW).transcripts([str(path)])
    assert taken.outcome == "failed"
    assert "episode_days" in taken.why


# -- killed --------------------------------------------------------------------------------------


def killed(sandbox: Sandbox, path: Path, moment: int) -> subprocess.CompletedProcess[str]:
    asked = (sandbox.root, path, NOW.isoformat(), str(moment))
    return forked.run_text(*asked, module="tests.support.killed_ingest", cwd=forked.PROJECT)


def memory(sandbox: Sandbox) -> dict[str, bytes]:
    """What is remembered: episodes and graph."""
    return {
        path: data for path, data in sandbox.snapshot().items() if path.startswith(("episodes/", "graph/"))
    }


@pytest.mark.faults
def test_killed_at_any_write_and_done_again_it_is_as_if_nothing_had_happened(tmp_path: Path) -> None:
    data = claw(*TALK) + compaction("They chose tantivy.") + headless(claw(*MORE))
    path = transcript(tmp_path / "s.jsonl", data)
    Seal(tmp_path).of({})  # its key is made once for a person, and not in each run
    calm = Sandbox(tmp_path / "calm")
    calls = int(killed(calm, path, 0).stdout)
    expected = memory(calm)
    assert len(expected) > 3
    assert calls > 50
    for moment in range(1, calls + 1, calls // 12):
        sandbox = Sandbox(tmp_path / f"w{moment}")
        assert killed(sandbox, path, moment).returncode == -9
        again = killed(sandbox, path, 0)
        assert again.returncode == 0, again.stderr
        assert memory(sandbox) == expected, moment
        assert take(sandbox, path).outcome == "unchanged"
        sandbox.close()


# -- large ---------------------------------------------------------------------------------------


def large(path: Path, lines: int) -> int:
    """A transcript of which most is what tools returned; its size in bytes."""
    result = {
        "type": "message",
        "message": {"role": "toolResult", "content": [{"type": "text", "text": "o" * 900}]},
    }
    block = jsonl(*([result] * 99))
    with path.open("wb") as file:
        file.write(jsonl({"type": "session", "id": "large"}))
        for number in range(lines // 100):
            file.write(block)
            file.write(
                jsonl(
                    {"type": "message", "message": {"role": "user", "content": f"Number {number} is fine."}}
                )
            )
    return path.stat().st_size


def peak(path: Path) -> int:
    """The most memory that reading it takes, in bytes."""
    tracemalloc.start()
    try:
        reading = read_new(look(str(path)), Checkpoints("flush"))
        assert reading is not None
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_large_transcript_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    small = large(path, 5_000)
    of_small = peak(path)
    size = large(path, 20_000)
    assert size - small > 12_000_000
    assert peak(path) < of_small + 1_000_000


def test_only_what_was_added_to_it_is_read(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.jsonl"
    size = large(path, 20_000)
    checkpoints = Checkpoints("flush")
    reading = read_new(look(str(path)), checkpoints)
    assert reading is not None
    checkpoints.note(sandbox.workspace, reading.end, NOW)
    append(path, plain(("user", "One more.")))
    read: list[int] = []
    real = os.pread

    def pread(descriptor: int, length: int, offset: int) -> bytes:
        data = real(descriptor, length, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", pread)
    added = read_new(look(str(path)), Checkpoints.read(sandbox.workspace, "flush"))
    assert added is not None
    assert [turn.text for turn in added.transcript.turns] == ["One more."]
    assert sum(read) < 30_000 < size
