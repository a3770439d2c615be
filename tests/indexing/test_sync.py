"""The index follows the files: only what changed, only once, and never on a mere suspicion."""

from __future__ import annotations

import os
import shutil
from datetime import date
from itertools import groupby

import pytest

from indexing.search.answer import Query
from indexing.sync.freshness import freshness
from indexing.sync.report import SyncProgress
from indexing.sync.run import reindex
from tests.indexing.conftest import Memory
from tests.support.hashing import HashingEmbedder, unavailable
from workbench.errors import BusyError, WorkspaceError
from workbench.workspace.locks import hold

QUESTIONS = ["door code", "launch", "worker ERR_CONNECTION_REFUSED", "登录模块", "14 March", "deploys"]


def answers(memory: Memory) -> list[dict[str, object]]:
    """What every mode says to every question, without what may differ: time and generation."""
    search = memory.hybrid()
    said = []
    for text in QUESTIONS:
        for mode in ("hybrid", "lexical", "vector"):
            answer = search.search(Query(text, mode=mode)).as_json()
            said.append({**answer, "took_ms": 0, "generation": ""})
    return said


def test_a_first_reindex_takes_everything_in(filled: Memory) -> None:
    state = freshness(filled.workspace)
    assert (state.state, state.files, state.entries, state.pending) == ("fresh", 4, 9, 0)
    assert state.summary == "up to date"


def test_nothing_changed_means_nothing_done(filled: Memory) -> None:
    before = {path: path.stat().st_mtime_ns for path in filled.generation.rglob("*.store")}
    filled.model.texts.clear()
    report = filled.reindex()
    assert (report.unchanged, report.added, report.changed, report.removed) == (4, 0, 0, 0)
    assert (report.embedded, report.from_cache, report.entries_added) == (0, 0, 0)
    assert filled.model.texts == []
    assert {path: path.stat().st_mtime_ns for path in filled.generation.rglob("*.store")} == before


def test_only_new_texts_are_embedded(filled: Memory) -> None:
    filled.model.texts.clear()
    filled.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 9000", "Likes tea")
    report = filled.reindex()
    assert (report.changed, report.embedded, report.entries, report.entries_removed) == (1, 2, 10, 2)
    assert sorted(filled.model.texts) == ["Likes tea", "The door code is 9000"]
    assert report.from_cache == 1


def test_a_rename_embeds_nothing(filled: Memory) -> None:
    filled.model.texts.clear()
    old = filled.root / "memory/projects/atlas.md"
    old.rename(old.with_name("borealis.md"))
    report = filled.reindex()
    assert (report.added, report.removed, report.embedded) == (1, 1, 0)
    assert filled.model.texts == []
    hit = filled.hybrid().search(Query("PostgreSQL")).hits[0]
    assert hit.path == "memory/projects/borealis.md"


def test_a_removed_file_leaves_both_indexes(filled: Memory) -> None:
    (filled.root / "memory/projects/atlas.md").unlink()
    report = filled.reindex()
    assert (report.removed, report.entries_removed, report.entries) == (1, 2, 7)
    for mode in ("lexical", "vector"):
        hits = filled.hybrid().search(Query("PostgreSQL", mode=mode)).hits
        assert "memory/projects/atlas.md" not in {hit.path for hit in hits}


def test_a_file_that_becomes_ignored_leaves_the_index(filled: Memory) -> None:
    (filled.root / "workbench.yaml").write_text("exclude: ['memory/projects/**']\n")
    again = Memory(filled.root)
    assert again.reindex().removed == 1
    assert not again.lexical().search(Query("PostgreSQL")).hits


def test_days_follow_another_format_of_daily_notes(memory: Memory) -> None:
    said = memory.root / ".obsidian" / "daily-notes.json"
    said.parent.mkdir()
    said.write_text('{"folder": "daily", "format": "DD-MM-YYYY"}')
    memory.write("daily/01-02-2026.md", "The heron came back")
    memory.write("notes.md", "Herons eat fish")
    for written, day in (("DD-MM-YYYY", date(2026, 2, 1)), ("MM-DD-YYYY", date(2026, 1, 2))):
        said.write_text(f'{{"folder": "daily", "format": "{written}"}}')
        again = Memory(memory.root)
        assert freshness(again.workspace).state != "fresh"
        report = again.reindex()
        assert report.added + report.changed == (2 if day.month == 2 else 1)
        (hit,) = [one for one in again.asked("heron").hits if one.path.startswith("daily")]
        assert hit.date == day
        assert freshness(again.workspace).state == "fresh"


def test_content_decides_when_size_and_time_are_the_same(filled: Memory) -> None:
    path = filled.root / "MEMORY.md"
    stamp = path.stat()
    path.write_text(path.read_text().replace("4411", "4412"))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert freshness(filled.workspace).changed == 1
    assert filled.reindex().changed == 1


def test_an_old_file_is_not_read_again(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexing.sync.freshness.RACY_NS", 0)  # all are older than the sync
    filled.reindex()
    monkeypatch.setattr(type(filled.workspace), "read", lambda *_: pytest.fail("it was read"))
    assert filled.reindex().unchanged == 4


def test_one_unreadable_file_stops_nothing(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.write("memory/2026-03-16.md", "Bought a xylophone")
    filled.write("memory/2026-03-17.md", "Sold it again")
    read = type(filled.workspace).read

    def failing(workspace: object, path: str) -> bytes:
        if path.endswith("03-16.md"):
            raise PermissionError(13, "Permission denied")
        return read(filled.workspace, path)

    with monkeypatch.context() as patch:
        patch.setattr(type(filled.workspace), "read", failing)
        report = filled.reindex()
    assert report.failed == {"memory/2026-03-16.md": "Permission denied"}
    assert report.as_json()["files"]["failed"] == [  # type: ignore[index]
        {"path": "memory/2026-03-16.md", "error": "Permission denied"}
    ]
    assert report.added == 1
    assert filled.lexical().search(Query("sold")).hits
    assert filled.reindex().added == 1


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe\x00bad", b"- a\r\n- b\r", b"\xef\xbb\xbf# t\n\n- x\n", b"---\n- a: [\n---\n\n- y\n"],
)
def test_any_bytes_can_be_indexed(filled: Memory, data: bytes) -> None:
    (filled.root / "memory/odd.md").write_bytes(data)
    report = filled.reindex()
    assert (report.added, report.failed) == (1, {})
    assert freshness(filled.workspace).state == "fresh"


def test_a_name_that_is_no_text_is_indexed_and_found(filled: Memory) -> None:
    path = os.fsdecode(os.fsencode(filled.root) + b"/memory/\xff it's\n.md")
    with open(path, "w") as file:
        file.write("- a quokka sleeps\n")
    filled.reindex()
    hit = filled.hybrid().search(Query("quokka")).hits[0]
    assert os.fsencode(hit.path) == b"memory/\xff it's\n.md"


@pytest.mark.promise(
    "The index",
    "all or nearly all files gone at once, or a folder not mounted",
    "refused without `--full`, also for some paths",
)
def test_vanished_files_are_refused_until_it_is_meant(filled: Memory) -> None:
    shutil.rmtree(filled.root / "memory")
    (filled.root / "MEMORY.md").unlink()
    with pytest.raises(WorkspaceError, match="4 of 4") as caught:
        filled.reindex()
    assert "--full" in caught.value.hint
    assert freshness(filled.workspace).entries == 9
    assert filled.reindex(full=True).entries == 0


def test_an_unmounted_folder_is_refused(memory: Memory) -> None:
    for day in range(1, 29):
        memory.write(f"memory/2026-02-{day:02}.md", f"Day {day}")
    memory.write("MEMORY.md", "Stays")
    memory.reindex(vectors=False)
    (memory.root / "memory").rename(memory.root / "elsewhere")
    with pytest.raises(WorkspaceError, match="28 of 29"):
        memory.reindex(vectors=False)


def test_a_renamed_folder_is_no_loss(memory: Memory) -> None:
    for number in range(30):
        memory.write(f"memory/old/{number}.md", f"Note {number}")
    memory.reindex(vectors=False)
    (memory.root / "memory/old").rename(memory.root / "memory/new")
    assert memory.reindex(vectors=False).removed == 30


def test_words_first_vectors_later(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    report = memory.reindex(vectors=False)
    assert (report.vectors, report.embedded) == ("vectors were left out", 0)
    assert freshness(memory.workspace).pending == 1
    assert memory.lexical().search(Query("door")).hits
    report = memory.reindex()
    assert (report.vectors, report.embedded, report.changed) == (None, 1, 0)
    assert freshness(memory.workspace).pending == 0


def test_what_was_removed_without_vectors_leaves_them_later(filled: Memory) -> None:
    (filled.root / "memory/projects/atlas.md").unlink()
    filled.reindex(vectors=False)
    filled.reindex()
    clean = answers(filled)
    shutil.rmtree(filled.index)
    filled.reindex()
    assert answers(filled) == clean


def test_without_a_model_the_report_says_why(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    report = reindex(memory.workspace, model=unavailable())
    assert report.vectors == "the model is broken"
    assert memory.lexical().search(Query("door")).hits


def test_another_model_builds_a_generation_aside(filled: Memory) -> None:
    first = filled.generation
    filled.model = HashingEmbedder("hashing@2", 32)
    seen: list[str] = []
    reindex(
        filled.workspace,
        model=filled.model.choice,
        progress=lambda step: seen.append(filled.generation.name),
    )
    assert set(seen) == {first.name}  # the old one is searched until the new one is complete
    assert filled.generation != first
    assert filled.hybrid().search(Query("door")).degraded is None


def test_a_full_reindex_takes_vectors_from_the_cache(filled: Memory) -> None:
    report = filled.reindex(full=True)
    assert (report.embedded, report.from_cache, report.added) == (0, 9, 4)
    assert report.generation == "gen-2"


def test_answers_are_the_same_after_the_index_is_deleted(filled: Memory) -> None:
    filled.write("memory/2026-03-14.md", "**Sarah Chen:** moved the launch to May", "Slept")
    filled.reindex()
    (filled.root / "memory/2026-03-15.md").unlink()
    filled.reindex()
    before = answers(filled)
    shutil.rmtree(filled.root / ".workbench")
    filled.reindex()
    assert answers(filled) == before


def test_a_dry_run_writes_nothing(filled: Memory) -> None:
    filled.write("memory/2026-03-16.md", "Bought a xylophone")
    before = {path: path.stat().st_mtime_ns for path in filled.index.rglob("*")}
    report = reindex(filled.workspace, dry_run=True)
    assert (report.added, report.unchanged, report.dry_run) == (1, 4, True)
    assert {path: path.stat().st_mtime_ns for path in filled.index.rglob("*")} == before


def test_one_sync_at_a_time_and_it_is_named(filled: Memory) -> None:
    state_dir = filled.workspace.state_dir()
    with hold(state_dir / "index.lock", "another reindex"), pytest.raises(BusyError, match="another"):
        filled.reindex()


def test_each_phase_is_told_once_and_no_count_goes_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexing.sync.embed_missing.BATCH_ENTRIES", 10)
    for day in range(1, 21):
        memory.write(f"memory/2026-03-{day:02}.md", *(f"day {day} item {n}" for n in range(4)))
    seen: list[SyncProgress] = []
    reindex(memory.workspace, model=memory.model.choice, progress=seen.append)
    phases = [phase for phase, _ in groupby(seen, lambda step: step.phase)]
    assert phases == ["scan", "words", "prepare", "embed"]
    for phase in phases:
        counts = [(step.done, step.total) for step in seen if step.phase == phase]
        assert counts == sorted(counts)
        assert len({total for _, total in counts}) == 1
    assert len([step for step in seen if step.phase == "embed"]) > 5
    assert (seen[-1].done, seen[-1].total) == (80, 80)


def test_what_is_stored_already_counts(memory: Memory) -> None:
    memory.write("MEMORY.md", *(f"number {n}" for n in range(8)))
    memory.reindex()
    memory.write("memory/2026-03-15.md", "one", "two")
    seen: list[SyncProgress] = []
    reindex(memory.workspace, model=memory.model.choice, progress=seen.append)
    counts = [(step.done, step.total) for step in seen if step.phase == "embed"]
    assert counts == [(8, 10), (10, 10)]


def test_the_report_is_the_json_of_the_command_line(filled: Memory) -> None:
    report = filled.reindex().as_json()
    promised = ["files", "entries", "embedded", "from_cache", "seconds", "generation", "fingerprint"]
    assert [name for name in report if name in promised] == promised
    assert list(report["files"]) == (  # type: ignore[call-overload]
        ["seen", "added", "changed", "removed", "unchanged", "failed", "waiting"]
    )


def test_freshness_counts_what_is_different(filled: Memory) -> None:
    filled.write("memory/new.md", "new")
    filled.write("MEMORY.md", "changed")
    (filled.root / "memory/projects/atlas.md").unlink()
    state = freshness(filled.workspace)
    assert (state.state, state.added, state.changed, state.removed) == ("stale", 1, 1, 1)
    assert state.summary == "1 added, 1 changed, 1 removed"


def test_freshness_without_an_index_says_missing(memory: Memory) -> None:
    memory.write("MEMORY.md", "x")
    assert freshness(memory.workspace).state == "missing"
    assert not (memory.root / ".workbench").exists()
