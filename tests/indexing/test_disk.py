"""What many small edits leave on the disk stays within a bound that does not depend on how many they were."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.indexing.conftest import Memory

FILES, ENTRIES, EDITS = 20, 10, 60
STORES = ("lexical", "vectors")


def sizes(generation: Path) -> dict[str, int]:
    """Bytes of each store, and how many files there are in all."""
    files = [path for path in generation.rglob("*") if path.is_file()]
    found = {
        store: sum(path.stat().st_size for path in files if path.is_relative_to(generation / store))
        for store in STORES
    }
    return {**found, "files": len(files)}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes a hundred writes and half a minute takes ten writes and no time."""
    monkeypatch.setattr("indexing.vectors._MOST_FRAGMENTS", 10)
    monkeypatch.setattr("indexing.vectors._KEEP_VERSIONS", timedelta(milliseconds=1))


@pytest.mark.promise("The index", "thousands of small edits", "disk space and number of files stay bounded")
@pytest.mark.usefixtures("hasty")
def test_the_disk_that_many_small_edits_take_is_bounded(memory: Memory) -> None:
    for number in range(FILES):
        memory.write(f"memory/n{number:02}.md", *(f"entry {n} of note {number}" for n in range(ENTRIES)))
    memory.reindex()
    paths = sorted(memory.root.rglob("*.md"))
    halves: list[dict[str, int]] = [{}, {}]
    for edit in range(EDITS):
        with paths[(edit * 7) % FILES].open("a") as file:
            file.write(f"- edit {edit}\n")
        memory.reindex()
        peak = halves[edit * 2 // EDITS]
        for store, size in sizes(memory.generation).items():
            peak[store] = max(peak.get(store, 0), size)
    memory.reindex(full=True)
    clean = sizes(memory.generation)
    first, second = halves
    for store in STORES:
        assert second[store] < 3 * clean[store] + 500_000, f"{store} holds far more than a clean build"
    assert second["files"] < first["files"] * 1.3 < 400, "files pile up"
    assert not list(memory.index.glob("set-aside/*"))
