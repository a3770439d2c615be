"""An index that came with a workspace from elsewhere: nothing beside it is written or deleted through it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from indexing.embedding.cache import EmbeddingCache
from tests.indexing.conftest import Memory
from workbench.errors import IndexUnavailableError


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the person's own, beside the workspace."""
    folder = tmp_path / "outside"
    (folder / "letters").mkdir(parents=True)
    for name in ("private.txt", "letters/one.txt", "letters/two.txt", "letters/three.txt"):
        (folder / name).write_text("nobody else's")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def forget_shapes(memory: Memory) -> None:
    """Books that do not say how the stores were left, as whoever crafts an index writes them."""
    path = memory.generation / "manifest.json"
    books = json.loads(path.read_text())
    books["shapes"] = {}
    path.write_text(json.dumps(books))


@pytest.mark.promise(
    "The index",
    "an index from elsewhere: links in it, a list of files that leads out of it",
    "rebuilt; nothing outside of it is written or deleted",
)
@pytest.mark.parametrize("written", ["absolute", "relative"])
def test_the_engines_list_of_files_deletes_none_that_is_not_its_own(
    filled: Memory, outside: Path, written: str
) -> None:
    victim = outside / "private.txt"
    folder = filled.generation / "lexical"
    listed = json.loads((folder / ".managed.json").read_text())
    listed.append(str(victim) if written == "absolute" else os.path.relpath(victim, folder))
    (folder / ".managed.json").write_text(json.dumps(listed))
    forget_shapes(filled)
    before = contents(outside)
    filled.write("memory/2026-03-16.md", "A line more about quokkas")
    filled.reindex()
    assert contents(outside) == before
    assert filled.found("quokkas") == ["memory/2026-03-16.md"]


@pytest.mark.promise(
    "The index",
    "an index from elsewhere: links in it, a list of files that leads out of it",
)
@pytest.mark.parametrize("name", ["lexical", "vectors", "vectors/entries.lance/data", ""])
def test_a_link_in_a_generation_is_followed_by_no_sync(filled: Memory, outside: Path, name: str) -> None:
    forget_shapes(filled)
    place = filled.generation / name
    if name:
        shutil.copytree(place, outside / "copied")
        shutil.rmtree(place)
        place.symlink_to(outside)
    else:
        shutil.copytree(place, outside, dirs_exist_ok=True)
        shutil.rmtree(place)
        place.symlink_to(outside)
    before = sorted(path for path in outside.rglob("*"))
    filled.write("memory/2026-03-16.md", "A line more about quokkas")
    report = filled.reindex()
    assert report.rebuilt == "it contained a link"
    assert sorted(path for path in outside.rglob("*")) == before
    assert filled.found("quokkas") == ["memory/2026-03-16.md"]
    assert not filled.generation.is_symlink()


@pytest.mark.promise(
    "The index",
    "an index from elsewhere: links in it, a list of files that leads out of it",
)
def test_what_is_set_aside_pushes_nothing_out_of_somebody_elses_folder(filled: Memory, outside: Path) -> None:
    (filled.index / "set-aside").symlink_to(outside / "letters")
    before = contents(outside)
    (filled.generation / "manifest.json").write_text("{")
    filled.reindex()
    assert contents(outside) == before


@pytest.mark.promise(
    "The index",
    "the index folder or the cache of vectors is a link",
    "refused, or the link is removed; its target is not changed",
)
def test_a_linked_index_folder_is_not_written_to(filled: Memory, outside: Path) -> None:
    shutil.rmtree(filled.index)
    filled.index.symlink_to(outside)
    before = contents(outside)
    with pytest.raises(IndexUnavailableError, match="is a link"):
        filled.reindex()
    assert contents(outside) == before


@pytest.mark.promise("The index", "the index folder or the cache of vectors is a link")
@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_the_cache_writes_into_nothing_that_a_link_leads_to(tmp_path: Path, outside: Path, end: str) -> None:
    path = tmp_path / "embeddings.sqlite"
    Path(f"{path}{end}").symlink_to(outside / "private.txt")
    before = contents(outside)
    cache = EmbeddingCache(path)
    cache.get("a model", ["x"], 1)
    cache.close()
    assert path.is_file()
    assert contents(outside) == before
