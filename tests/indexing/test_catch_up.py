"""What a search takes in before it answers: little, by keywords, waiting for nobody; else it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.sync.catch_up import MOST_FILES, catch_up
from indexing.sync.freshness import freshness
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


def test_an_index_of_another_version_is_not_built_anew_by_a_search(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.write("memory/new.md", "the zeppelin landed")
    monkeypatch.setattr("indexing.sync.catch_up.words_fingerprint", lambda: "schema 99")
    before = everything_in(filled.index)
    assert "1 added" in (catch_up(filled.workspace) or "")
    assert everything_in(filled.index) == before


def test_a_workspace_that_was_never_indexed_is_indexed_by_keywords_however_large(memory: Memory) -> None:
    for number in range(MOST_FILES + 5):
        memory.write(f"memory/n{number}.md", f"heron {number}")
    assert catch_up(memory.workspace) is None
    assert len(memory.found("heron")) == 10
    assert freshness(memory.workspace).keywords_only
