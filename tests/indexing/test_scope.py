"""A run over a part looks at that part alone, and believes nothing of the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexing.search.answer import Query
from indexing.sync.freshness import freshness
from indexing.sync.report import SyncReport
from indexing.sync.run import reindex
from tests.indexing.conftest import Memory, Owner
from workbench.errors import UsageError, WorkspaceError


def part(memory: Memory, *paths: str, full: bool = False) -> SyncReport:
    return reindex(memory.workspace, paths=paths, full=full, model=memory.model.choice)


@pytest.mark.promise(
    "The index",
    "a reindex of some paths while files elsewhere were deleted",
    "nothing outside of these paths is removed or recorded as up to date",
)
def test_only_what_lies_below_is_looked_at_and_nothing_outside_is_pruned(filled: Memory) -> None:
    filled.write("memory/projects/atlas.md", "Atlas moved to a quokka")
    filled.write("memory/2026-03-16.md", "A new wombat")
    (filled.root / "memory/2026-03-15.md").unlink()
    (filled.root / "MEMORY.md").unlink()
    report = part(filled, "memory/projects")
    assert (report.seen, report.changed, report.added, report.removed) == (1, 1, 0, 0)
    assert filled.found("quokka")
    assert not filled.found("wombat")
    state = freshness(filled.workspace)
    assert (state.added, state.changed, state.removed) == (1, 0, 2)
    assert state.entries == 8
    assert (filled.reindex().removed, freshness(filled.workspace).state) == (2, "fresh")


def test_a_deletion_within_is_believed(filled: Memory) -> None:
    (filled.root / "memory/2026-03-15.md").unlink()
    assert part(filled, "memory").removed == 1
    assert part(filled, "memory/projects/atlas.md").removed == 0
    (filled.root / "memory/projects/atlas.md").unlink()
    assert part(filled, "memory/projects/atlas.md").removed == 1


@pytest.mark.promise("The index", "renames", "nothing is embedded again")
def test_a_rename_within_costs_no_embedding(filled: Memory) -> None:
    filled.model.texts.clear()
    old = filled.root / "memory/projects/atlas.md"
    old.rename(old.with_name("borealis.md"))
    report = part(filled, "memory/projects")
    assert (report.added, report.removed, report.embedded) == (1, 1, 0)
    assert filled.model.texts == []


@pytest.mark.promise("The index", "renames")
def test_a_rename_out_of_the_part_loses_nothing_and_costs_no_embedding(filled: Memory) -> None:
    filled.model.texts.clear()
    (filled.root / "memory/projects/atlas.md").rename(filled.root / "memory/atlas.md")
    report = part(filled, "memory/atlas.md")
    assert (report.added, report.removed, report.embedded) == (1, 0, 0)
    assert filled.found("PostgreSQL") == ["memory/atlas.md"]
    assert filled.reindex().removed == 1
    assert filled.model.texts == []


@pytest.mark.promise("The index", "all or nearly all files gone at once, or a folder not mounted")
def test_a_folder_that_vanished_is_refused_until_it_is_meant(filled: Memory) -> None:
    shutil.rmtree(filled.root / "memory")
    with pytest.raises(WorkspaceError, match="3 of 3"):
        part(filled, "memory")
    assert freshness(filled.workspace).entries == 9
    name = filled.generation.name
    assert part(filled, "memory", full=True).removed == 3
    assert freshness(filled.workspace).entries == 2
    assert filled.generation.name == name, "what is outside was not built anew"


def test_full_reads_the_part_anew(filled: Memory) -> None:
    assert part(filled, "memory/projects").changed == 0
    report = part(filled, "memory/projects", full=True)
    assert (report.changed, report.unchanged, report.embedded) == (1, 0, 0)


@pytest.mark.promise("The index", "a reindex of some paths while files elsewhere were deleted")
def test_a_part_vouches_for_no_time_stamp_outside_of_it(filled: Memory) -> None:
    """A file that changed within one tick of the clock, right after it was indexed, is still found out."""
    synced = synced_ns(filled)
    part(filled, "memory/projects")
    assert synced_ns(filled) == synced
    filled.reindex()
    assert synced_ns(filled) > synced


def synced_ns(memory: Memory) -> int:
    from indexing.sync.generations import Generation

    manifest = Generation(memory.generation).manifest()
    assert manifest is not None
    return manifest.synced_ns


def test_without_an_index_everything_is_taken_in(memory: Memory) -> None:
    memory.write("MEMORY.md", "Tea")
    memory.write("memory/a.md", "A quokka")
    report = part(memory, "memory/a.md")
    assert (report.added, report.rebuilt) == (2, "there was no index to add to")


@pytest.mark.promise(
    "The index",
    "a reindex of some paths meets a damaged index, no index, or an interrupted run",
    "the whole index is built; an interrupted run is finished",
)
def test_a_damaged_index_is_built_anew_from_everything(filled: Memory) -> None:
    (filled.generation / "manifest.json").write_bytes(b"")
    report = part(filled, "memory/projects")
    assert (report.added, report.rebuilt) == (4, "the manifest was missing or damaged")
    assert freshness(filled.workspace).state == "fresh"


@pytest.mark.promise(
    "The index", "a reindex of some paths meets a damaged index, no index, or an interrupted run"
)
def test_what_an_interrupted_run_left_is_finished_too(filled: Memory) -> None:
    filled.write("MEMORY.md", "A quokka")
    (filled.root / "memory/2026-03-15.md").unlink()
    (filled.generation / "pending.json").write_text('["MEMORY.md", "memory/gone.md", "memory/2026-03-15.md"]')
    report = part(filled, "memory/projects")
    assert (report.changed, report.removed) == (1, 1)
    assert filled.found("quokka") == ["MEMORY.md"]
    assert freshness(filled.workspace).state == "fresh"


@pytest.mark.promise(
    "The index",
    "one file cannot be read, or is far too large",
    "it is named; the others are indexed",
)
def test_one_bad_file_stops_nothing(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.write("memory/projects/bad.md", "A quokka")
    filled.write("memory/projects/good.md", "A wombat")
    read = type(filled.workspace).read

    def failing(workspace: object, path: str) -> bytes:
        if path.endswith("bad.md"):
            raise PermissionError(13, "Permission denied")
        return read(filled.workspace, path)

    monkeypatch.setattr(type(filled.workspace), "read", failing)
    report = part(filled, "memory/projects")
    assert (report.added, report.failed) == (1, {"memory/projects/bad.md": "Permission denied"})
    assert filled.found("wombat")


@pytest.mark.parametrize(
    "named", ["memory/projects", "./memory/projects/", "{root}/memory/projects", "projects"]
)
def test_a_part_is_named_from_the_workspace_from_here_or_from_the_top(
    filled: Memory, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(filled.root / "memory")
    filled.write("memory/projects/atlas.md", "A quokka")
    assert part(filled, named.format(root=filled.root)).changed == 1


def test_the_workspace_itself_is_a_part(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    (notes / "garden.md").write_text("- changed\n")
    memory.write("MEMORY.md", "Coffee")
    assert part(memory, ".").changed == 1
    assert freshness(memory.workspace).changed == 1


@pytest.mark.parametrize("named", ["memory/none.md", "/etc", "..", "/nowhere"])
def test_what_lies_in_no_source_is_refused(filled: Memory, named: str) -> None:
    with pytest.raises(UsageError, match="neither in the workspace nor in an extra path"):
        part(filled, named)


def test_an_extra_path_is_a_part_and_its_absence_prunes_nothing(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    (notes / "pond.md").write_text("- The axolotl sleeps\n")
    assert part(memory, str(notes)).added == 1
    notes.rename(notes.with_name("away"))
    report = part(memory, str(notes))
    assert (report.removed, report.absent) == (
        0,
        {str(notes): "it does not exist; 2 of its files stay indexed"},
    )
    assert part(memory, str(notes), full=True).removed == 2


def test_answers_are_those_of_a_clean_build(filled: Memory) -> None:
    filled.write("memory/projects/atlas.md", "Atlas runs on a quokka", "Deploys happen on Fridays")
    part(filled, "memory/projects")

    def said() -> list[object]:
        search = filled.hybrid()
        return [search.search(Query(text)).as_json()["hits"] for text in ("quokka", "deploys", "door code")]

    before = said()
    shutil.rmtree(filled.index)
    filled.reindex()
    assert said() == before
