"""What a search takes in before it answers: little, by keywords, waiting for nobody; else it says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import indexing.vectors as store
from indexing.lexical.index import LexicalWriter
from indexing.sync.freshness import MOST_FILES, catch_up, freshness
from indexing.sync.report import SyncProgress
from indexing.sync.run import reindex
from tests.indexing.conftest import Memory
from workbench.errors import IndexUnavailableError
from workbench.workspace.locks import hold


def everything_in(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_was_added_changed_and_removed_is_taken_in(filled: Memory) -> None:
    filled.write("memory/new.md", "the zeppelin landed")
    filled.write("MEMORY.md", "The door code is 9000")
    (filled.root / "memory/projects/atlas.md").unlink()
    assert catch_up(filled.workspace) is None
    assert filled.found("zeppelin") == ["memory/new.md"]
    assert (filled.found("9000"), filled.found("4411")) == (["MEMORY.md"], [])
    assert filled.found("PostgreSQL") == []


def test_no_vector_is_lost_that_is_still_of_use(filled: Memory) -> None:
    filled.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4411", "Likes tea")
    before = filled.model.texts.copy()
    assert catch_up(filled.workspace) is None
    assert filled.model.texts == before, "nothing is embedded"
    state = freshness(filled.workspace)
    assert (state.state, state.pending) == ("fresh", 3)
    assert filled.reindex().embedded == 1


def test_where_nothing_changed_nothing_is_written(filled: Memory) -> None:
    before = everything_in(filled.root)
    assert catch_up(filled.workspace) is None
    assert everything_in(filled.root) == before


def test_more_files_than_are_taken_in_are_counted(filled: Memory) -> None:
    for number in range(MOST_FILES + 1):
        filled.write(f"memory/n{number}.md", f"heron {number}")
    assert catch_up(filled.workspace) == (
        f"the index is behind the files: {MOST_FILES + 1} added; run `workbench reindex`"
    )
    assert filled.found("heron") == []
    (filled.root / "memory/n0.md").unlink()
    assert catch_up(filled.workspace) is None
    assert filled.found("heron")


def test_while_another_sync_runs_it_waits_for_nobody(filled: Memory) -> None:
    filled.write("memory/new.md", "the zeppelin landed")
    before = everything_in(filled.index)
    with hold(filled.root / ".workbench/index.lock", "reindex"):
        assert catch_up(filled.workspace) == "the index is behind the files: 1 added; run `workbench reindex`"
    assert everything_in(filled.index) == before


@pytest.mark.parametrize("indexed", [True, False])
def test_who_only_looks_writes_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, indexed: bool
) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    if indexed:
        memory.reindex()
        memory.write("memory/new.md", "the zeppelin landed")
    before = everything_in(memory.root)
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    if indexed:
        assert "1 added" in (catch_up(memory.workspace) or "")
    else:
        with pytest.raises(IndexUnavailableError, match="read-only"):
            catch_up(memory.workspace)
    assert everything_in(memory.root) == before


def stays_as_it_is(memory: Memory, why: str) -> None:
    """A search indexes nothing, begins no generation and drops no vectors, and says why."""
    memory.write("memory/new.md", "the zeppelin landed")
    before = everything_in(memory.index)
    missing = catch_up(memory.workspace) or ""
    assert "1 added" in missing
    assert why in missing
    assert everything_in(memory.index) == before
    assert memory.found("zeppelin") == []


def test_a_search_does_not_publish_a_full_reindex_that_was_interrupted(filled: Memory) -> None:
    class Killed(BaseException):
        pass

    def killed(progress: SyncProgress) -> None:
        if progress.phase == "words":
            raise Killed

    with pytest.raises(Killed):
        reindex(filled.workspace, full=True, model=filled.model.choice, progress=killed)
    stays_as_it_is(filled, "a full reindex was interrupted")
    assert filled.reindex().embedded == 1


def test_a_stray_file_among_the_words_costs_no_vectors(filled: Memory) -> None:
    (filled.generation / "lexical/stray.idx").write_bytes(b"x")
    stays_as_it_is(filled, "files of the keyword index are not as the last sync left them")
    report = filled.reindex()
    assert report.vectors is None
    assert report.rebuilt
    assert "not as the last sync left them" in report.rebuilt


def test_a_truncated_index_of_the_vectors_costs_no_vectors(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "INDEX_ROWS", 100)
    memory.write("memory/many.md", *(f"heron {number} by the river" for number in range(300)))
    memory.reindex()
    (path,) = memory.generation.glob("vectors/entries.lance/_indices/*/auxiliary.idx")
    os.truncate(path, path.stat().st_size // 2)
    stays_as_it_is(memory, "the vectors were damaged")


def test_damage_that_is_met_while_writing_begins_no_other_generation(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.write("memory/new.md", "the zeppelin landed")
    vectors = everything_in(filled.generation / "vectors")
    with monkeypatch.context() as patch:
        patch.setattr(LexicalWriter, "count", lambda _: -1)
        assert "the keyword index did not match" in (catch_up(filled.workspace) or "")
    assert filled.generation.name == "gen-1"
    assert everything_in(filled.generation / "vectors") == vectors
    assert "interrupted" in (catch_up(filled.workspace) or "")
    filled.reindex()
    assert (catch_up(filled.workspace), filled.found("zeppelin")) == (None, ["memory/new.md"])


def test_a_lock_that_may_not_be_looked_at_fails_no_search(filled: Memory, tmp_path: Path) -> None:
    filled.write("memory/new.md", "the zeppelin landed")
    lock = filled.root / ".workbench/index.lock"
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    assert catch_up(filled.workspace) == "the index is behind the files: 1 added; run `workbench reindex`"


def test_of_a_damaged_index_it_is_said_that_it_is_damaged(filled: Memory) -> None:
    (filled.generation / "manifest.json").write_text("{")
    assert catch_up(filled.workspace) == "the index is damaged; the next reindex rebuilds it"


def test_a_workspace_that_was_never_indexed_is_indexed_by_keywords_however_large(memory: Memory) -> None:
    for number in range(MOST_FILES + 5):
        memory.write(f"memory/n{number}.md", f"heron {number}")
    assert catch_up(memory.workspace) is None
    assert len(memory.found("heron")) == 10
    assert freshness(memory.workspace).keywords_only
