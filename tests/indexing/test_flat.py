"""The flat copy of the vectors: the same answers as the table, or no copy at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing.sync.generations import Generation
from indexing.sync.verify import verify_index
from indexing.vectors import table as vectors
from indexing.vectors.flat import open_flat
from indexing.vectors.flat_card import CARD, fitting_card, newest_version, versions_folder
from indexing.vectors.nearest import VectorReader
from indexing.vectors.table import Rows, VectorWriter, columns, open_table
from tests.indexing.conftest import Memory
from tests.indexing.test_hygiene import imported
from tests.indexing.test_sync import answers

DIMENSION = 8


class Store:
    """A vector table and its copy, written file by file with random vectors."""

    def __init__(self, folder: Path) -> None:
        self.vectors, self.flat = folder / "vectors", folder / "flat"
        self.random = np.random.default_rng(7)

    def write(self, files: dict[int, int]) -> None:
        """Give each of ``files`` so many rows, in one sync."""
        writer = VectorWriter(self.vectors, DIMENSION, self.flat)
        keys = [1_000 * file + n for file, count in files.items() for n in range(count)]
        names = [f"{file:016x}" for file, count in files.items() for _ in range(count)]
        made = self.random.standard_normal((len(keys), DIMENSION)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        rows = Rows(keys, names, [0] * len(keys), [0] * len(keys), made)
        writer.replace([f"{file:016x}" for file in files], rows)
        writer.copy()

    def readers(self) -> tuple[VectorReader, VectorReader]:
        """A reader of the copy, and one of the table alone."""
        assert open_flat(self.flat, self.vectors) is not None
        return VectorReader(self.vectors, self.flat), VectorReader(self.vectors)

    def assert_same(self) -> None:
        """The copy answers as the table does, whatever is asked."""
        copy, table = self.readers()
        assert copy.count() == table.count()
        keys = np.sort(columns(open_table(self.vectors)).keys)
        some = keys[::3]
        for vector in self.random.standard_normal((5, DIMENSION)).astype(np.float32):
            asked = vector / np.linalg.norm(vector)
            for limit, allowed in ((5, None), (5, some), (10_000, None), (2, some[:1])):
                ours, right = (reader.nearest(asked, limit, allowed) for reader in (copy, table))
                assert ours.keys.tolist() == right.keys.tolist()
                assert ours.cosines == pytest.approx(right.cosines, abs=1e-6)
            wanted = [*keys[:7].tolist(), 999_999_999]
            assert copy.cosines(asked, wanted) == pytest.approx(table.cosines(asked, wanted), abs=1e-6)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Forty files of five rows."""
    made = Store(tmp_path)
    made.write(dict.fromkeys(range(40), 5))
    return made


def test_after_any_order_of_small_syncs_the_copy_answers_as_the_table_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_LATER_LEAST", 40)
    bases = set()
    for _ in range(40):
        some = store.random.integers(0, 45, 3).tolist()
        store.write({file: int(store.random.integers(0, 9)) for file in some})
        store.assert_same()
        card = fitting_card(store.flat, store.vectors)
        assert card is not None
        bases.add(card.base.file.name)
        assert card.later is None or card.later.rows <= 40
        assert len(list(store.flat.iterdir())) <= 3
    assert 2 < len(bases) < 30  # written anew now and then, not every time


def test_equal_vectors_are_told_apart_by_their_keys_wherever_they_stand(store: Store) -> None:
    writer = VectorWriter(store.vectors, DIMENSION, store.flat)
    same = np.tile(np.eye(DIMENSION, dtype=np.float32)[0], (60, 1))
    keys = [*range(5_000_000, 5_000_060)]
    writer.replace([], Rows(keys, ["f" * 16] * 60, [0] * 60, [0] * 60, same))
    writer.copy()
    reader, _ = store.readers()
    assert reader.nearest(same[0], 10).keys.tolist() == keys[:10]


def test_an_empty_table_has_an_empty_copy(store: Store) -> None:
    store.write(dict.fromkeys(range(40), 0))
    reader, _ = store.readers()
    assert (reader.count(), len(reader.nearest(np.ones(DIMENSION, np.float32), 3).keys)) == (0, 0)


def test_searching_by_meaning_loads_neither_lancedb_nor_arrow(filled: Memory) -> None:
    code = (
        "from indexing.search.hybrid import HybridSearch\n"
        "from indexing.search.answer import Query\n"
        "from tests.support.hashing import HashingEmbedder\n"
        "from workbench.workspace.workspace import Workspace\n"
        f"place = Workspace.open({str(filled.root)!r})\n"
        "search = HybridSearch(place, model=HashingEmbedder().choice)\n"
        "answer = search.search(Query('door code'))\n"
        "assert answer.hits and answer.hits[0].scores.vector and not answer.degraded"
    )
    assert imported(code, "lancedb", "pyarrow", "numpy") == {"numpy"}


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garbage(path: Path) -> None:
    path.write_bytes(b"\x13\x37" * (path.stat().st_size // 2))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def gone(path: Path) -> None:
    path.unlink()


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [cut, garbage, empty, gone, folder])
@pytest.mark.parametrize("what", [CARD, "base-*", "later-*"])
def test_a_damaged_copy_is_not_used_and_made_again(
    filled: Memory, what: str, damage: Callable[[Path], None]
) -> None:
    filled.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4412")
    filled.reindex()
    clean = answers(filled)
    place = Generation(filled.generation)
    (path,) = place.flat.glob(what)
    damage(path)
    assert fitting_card(place.flat, place.vectors) is None
    assert answers(filled) == clean
    filled.reindex()
    assert fitting_card(place.flat, place.vectors) is not None
    assert answers(filled) == clean


def test_the_copy_of_another_table_is_not_used(tmp_path: Path) -> None:
    one, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    for place in (one, other):
        place.write({1: 3})
        place.random = np.random.default_rng(8)
    shutil.rmtree(one.flat)
    shutil.copytree(other.flat, one.flat)
    assert newest_version(one.vectors) is not None
    assert open_flat(one.flat, one.vectors) is None
    assert VectorReader(one.vectors, one.flat).count() == 3


def test_a_copy_that_lags_behind_is_not_used(store: Store) -> None:
    VectorWriter(store.vectors, DIMENSION).replace([f"{1:016x}"], None)
    assert open_flat(store.flat, store.vectors) is None
    assert VectorReader(store.vectors, store.flat).count() == 195
    store.write({2: 5})
    store.assert_same()


def test_an_open_reader_keeps_what_it_has_while_a_sync_writes_and_then_takes_the_new(store: Store) -> None:
    reader = VectorReader(store.vectors, store.flat)
    writer = VectorWriter(store.vectors, DIMENSION, store.flat)
    writer.replace([f"{1:016x}"], None)
    reader.refresh()
    assert reader.count() == 200
    writer.copy()
    reader.refresh()
    assert reader.count() == 195


@pytest.mark.parametrize(
    "when", [1_700_000_000, 4_000_000_000], ids=["long ago", "a clock that stepped back"]
)
def test_an_open_reader_reads_the_table_where_a_sync_left_no_copy(store: Store, when: int) -> None:
    reader = VectorReader(store.vectors, store.flat)
    VectorWriter(store.vectors, DIMENSION).replace([f"{1:016x}"], None)
    os.utime(versions_folder(store.vectors), (when, when))
    reader.refresh()
    assert reader.count() == 195


def test_an_open_reader_answers_though_the_copy_is_taken_away(store: Store) -> None:
    reader, table = store.readers()
    asked = np.ones(DIMENSION, np.float32) / np.sqrt(DIMENSION).astype(np.float32)
    right = table.nearest(asked, 10).keys.tolist()
    shutil.rmtree(store.flat)
    assert reader.nearest(asked, 10).keys.tolist() == right


def test_without_room_for_a_copy_the_sync_is_whole_and_searches_read_the_table(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    filled.write("MEMORY.md", "The door code is 9000")
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "write_rows", full)
        report = filled.reindex()
    place = Generation(filled.generation)
    assert (report.vectors, list(place.flat.iterdir())) == (None, [])
    without = answers(filled)
    assert verify(filled) == []
    filled.reindex()
    assert list(place.flat.iterdir()) != []
    assert answers(filled) == without


def test_verify_names_a_copy_that_rotted(filled: Memory) -> None:
    assert verify(filled) == []
    (path,) = (filled.generation / "flat").glob("base-*")
    before, data = path.stat(), bytearray(path.read_bytes())
    data[-9] ^= 0x40
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert verify(filled) == ["the copy of the vectors that is searched differs from them"]
    filled.reindex(full=True)
    assert verify(filled) == []


def test_beyond_the_size_for_an_index_there_is_no_copy(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "INDEX_ROWS", 100)
    store.write({1: 4})
    assert list(store.flat.iterdir()) == []
    assert VectorReader(store.vectors, store.flat).count() == 199


def verify(memory: Memory) -> list[str]:
    checks = verify_index(memory.workspace, model=memory.model.choice)
    return [flaw.what for check in checks for flaw in check.flaws]
