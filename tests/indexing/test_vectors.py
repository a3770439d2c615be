"""The vectors in LanceDB: every answer is that of comparing a question with all of them, one by one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import indexing.vectors as store
from indexing.search.answer import Query
from indexing.sync.verify import verify_index
from indexing.vectors import Rows, VectorReader, VectorWriter, open_table, vectors_in
from tests.indexing.conftest import Memory
from tests.indexing.test_sync import answers

DIMENSION = 8


class Table:
    """A vector table, written file by file with random vectors."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.random = np.random.default_rng(7)

    def write(self, files: dict[int, int]) -> None:
        """Give each of ``files`` so many rows, in one sync."""
        writer = VectorWriter(self.folder, DIMENSION)
        keys = [1_000 * file + n for file, count in files.items() for n in range(count)]
        names = [f"{file:016x}" for file, count in files.items() for _ in range(count)]
        rows = Rows(keys, names, [0] * len(keys), [0] * len(keys), self.question(len(keys)))
        writer.replace([f"{file:016x}" for file in files], rows)
        writer.build_index()

    def question(self, count: int) -> NDArray[np.float32]:
        made = self.random.standard_normal((count, DIMENSION)).astype(np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)

    def rows(self) -> dict[int, NDArray[np.float32]]:
        """The vectors by their keys, as they are stored."""
        rows = open_table(self.folder).to_arrow()
        return dict(zip(rows["key"].to_pylist(), vectors_in(rows), strict=True))

    def assert_exact(self, reader: VectorReader) -> None:
        """The reader answers as a comparison with each row does, whatever is asked."""
        rows = self.rows()
        assert reader.count() == len(rows)
        some = sorted(rows)[::3]
        for asked in self.question(3):
            for limit, allowed in ((5, None), (5, some), (10_000, None), (2, some[:1]), (3, some[:0])):
                wanted = rows.keys() if allowed is None else allowed
                right = sorted(((float(rows[key] @ asked), key) for key in wanted), reverse=True)[:limit]
                ours = reader.nearest(asked, limit, allowed)
                assert ours.keys.tolist() == [key for _, key in right]
                assert ours.cosines == pytest.approx([cosine for cosine, _ in right], abs=1e-6)
            named = [*sorted(rows)[:7], 999_999_999]
            right_cosines = {key: float(rows[key] @ asked) for key in named if key in rows}
            assert reader.cosines(asked, named) == pytest.approx(right_cosines, abs=1e-6)


@pytest.fixture(params=[100, 10_000], ids=["index", "no index"])
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Table:
    """Forty files of five rows, with and without an index."""
    monkeypatch.setattr(store, "INDEX_ROWS", request.param)
    made = Table(tmp_path)
    made.write(dict.fromkeys(range(40), 5))
    return made


@pytest.mark.promise(
    "The index",
    "the vector index lags behind what was written since",
    "rows that it lacks are compared one by one",
)
def test_after_any_order_of_small_syncs_every_row_is_compared(table: Table) -> None:
    reader = VectorReader(table.folder)
    for _ in range(12):
        some = table.random.integers(0, 45, 3).tolist()
        table.write({file: int(table.random.integers(0, 9)) for file in some})
        reader.refresh()
        table.assert_exact(reader)
    table.assert_exact(VectorReader(table.folder))


def test_equal_vectors_are_told_apart_by_their_keys_wherever_they_stand(table: Table) -> None:
    same = np.tile(np.eye(DIMENSION, dtype=np.float32)[0], (60, 1))
    keys = [*range(5_000_000, 5_000_060)]
    for half in (slice(30, 60), slice(30)):
        rows = Rows(keys[half], ["f" * 16] * 30, [0] * 30, [0] * 30, same[half])
        VectorWriter(table.folder, DIMENSION).replace([], rows)
    reader = VectorReader(table.folder)
    assert reader.nearest(same[0], 10).keys.tolist() == keys[:10]
    assert reader.nearest(same[0], 10, keys[5:]).keys.tolist() == keys[5:15]


def test_a_table_that_lost_all_of_its_rows_finds_nothing(table: Table) -> None:
    table.write(dict.fromkeys(range(40), 0))
    reader = VectorReader(table.folder)
    assert (reader.count(), len(reader.nearest(np.ones(DIMENSION, np.float32), 3).keys)) == (0, 0)


@pytest.mark.promise(
    "The index",
    "the vector index is written, replaced or removed while a search reads it",
    "the search keeps one version, then takes the new one",
)
def test_an_open_reader_answers_of_one_version_until_it_takes_the_next(table: Table) -> None:
    reader = VectorReader(table.folder)
    VectorWriter(table.folder, DIMENSION).replace([f"{1:016x}"], None)
    assert (reader.count(), len(reader.nearest(table.question(1)[0], 1_000).keys)) == (200, 200)
    reader.refresh()
    assert (reader.count(), len(reader.nearest(table.question(1)[0], 1_000).keys)) == (195, 195)


def clustered(count: int) -> NDArray[np.float32]:
    random = np.random.default_rng(1)
    centres = random.standard_normal((20, 32))
    made = centres[random.integers(0, 20, count)] + 0.4 * random.standard_normal((count, 32))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def test_beyond_what_is_compared_one_by_one_candidates_are_compared_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "INDEX_ROWS", 1_000)
    vectors = clustered(3_000)
    count = len(vectors)
    writer = VectorWriter(tmp_path, 32)
    writer.replace([], Rows(list(range(count)), ["a" * 16] * count, [0] * count, [0] * count, vectors))
    writer.build_index()
    exact = VectorReader(tmp_path)
    asked = vectors[:20]
    many, few = range(0, count, 2), range(0, count, 130)
    right = [(exact.nearest(one, 10).keys, exact.nearest(one, 10, many).keys) for one in asked]
    right_few = [exact.nearest(one, 200, few).keys.tolist() for one in asked]

    monkeypatch.setattr(store, "EXACT_ROWS", 2_000)  # it has grown beyond
    writer.build_index()
    (index,) = (one for one in open_table(tmp_path).list_indices() if one.columns == ["vector"])
    assert index.index_type == "IvfRq"
    reader = VectorReader(tmp_path)
    shared = 0
    for vector, (everything, of_many), of_few in zip(asked, right, right_few, strict=True):
        found = reader.nearest(vector, 10)
        assert found.cosines == pytest.approx(vectors[found.keys] @ vector, abs=1e-5)
        shared += np.isin(found.keys, everything).sum()
        within = reader.nearest(vector, 10, many).keys
        assert (len(within), set((within % 2).tolist())) == (10, {0})
        shared += np.isin(within, of_many).sum()
        assert reader.nearest(vector, 200, few).keys.tolist() == of_few
    assert shared >= 340  # of 400; its partitions are trained on a random sample

    monkeypatch.setattr(store, "EXACT_ROWS", 4_000)  # and shrunk again
    writer.build_index()
    again = VectorReader(tmp_path)
    assert [again.nearest(one, 10).keys.tolist() for one in asked] == [one.tolist() for one, _ in right]


def test_a_table_that_shrinks_until_it_needs_no_index_is_compared_one_by_one_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "INDEX_ROWS", 500)
    monkeypatch.setattr(store, "EXACT_ROWS", 1_000)
    table = Table(tmp_path)
    table.write(dict.fromkeys(range(40), 40))
    assert VectorReader(tmp_path).approximate
    table.write(dict.fromkeys(range(30), 0))
    reader = VectorReader(tmp_path)
    assert (reader.count(), reader.approximate) == (400, False)
    table.assert_exact(reader)


# -- the index of a workspace --------------------------------------------------------------------


@pytest.fixture
def indexed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A workspace with so many entries that its vectors are searched by an index."""
    monkeypatch.setattr(store, "INDEX_ROWS", 100)
    for file in range(10):
        memory.write(
            f"memory/2026-03-{file + 10}.md", *(f"note {n} about topic {file * n}" for n in range(30))
        )
    memory.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4411")
    memory.reindex()
    assert index_files(memory)
    return memory


def index_files(memory: Memory) -> list[Path]:
    """The files of the index that hold vectors."""
    return sorted((memory.generation / "vectors").glob("entries.lance/_indices/*/auxiliary.idx"))


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    """Every process begins with an empty cache; a test passes for one."""
    store._session.cache_clear()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garbage(path: Path) -> None:
    path.write_bytes(b"\x13\x37" * (path.stat().st_size // 2))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def gone(path: Path) -> None:
    path.unlink()


@pytest.mark.promise(
    "The index",
    "the vector index is truncated, overwritten, emptied or gone",
    "keyword hits are shown, with the reason; the next sync rebuilds it",
)
@pytest.mark.parametrize("damage", [cut, garbage, empty, gone])
def test_a_damaged_index_is_said_and_made_again(indexed: Memory, damage: Callable[[Path], None]) -> None:
    clean = answers(indexed)
    for path in index_files(indexed):
        damage(path)
    store._session.cache_clear()
    answer = indexed.hybrid().search(Query("door code"))
    assert "door code" in answer.hits[0].snippet
    assert answer.state == "degraded"
    store._session.cache_clear()
    indexed.reindex()
    assert answers(indexed) == clean


@pytest.mark.promise("The index", "the vector index decays on the disk", "`verify` reports it")
@pytest.mark.promise(
    "Doctor",
    "the vector index decayed, with the same size and date",
    "`doctor` checks size and date only; `verify` compares every row, and `reindex --full` rebuilds it",
)
def test_verify_names_an_index_that_rotted(indexed: Memory) -> None:
    assert verify(indexed) == []
    (path,) = index_files(indexed)
    before, data = path.stat(), bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    store._session.cache_clear()
    assert verify(indexed) == ["the vector index and the vectors give different results"]
    indexed.reindex(full=True)
    assert verify(indexed) == []


@pytest.mark.parametrize("damage", [cut, garbage, empty, gone])
def test_verify_names_a_damaged_index(indexed: Memory, damage: Callable[[Path], None]) -> None:
    (path,) = index_files(indexed)
    damage(path)
    store._session.cache_clear()
    (said,) = verify(indexed)
    assert said.startswith("the vector index")


def test_the_copy_that_an_older_version_kept_is_removed(filled: Memory) -> None:
    (filled.generation / "flat").mkdir()
    (filled.generation / "flat" / "base-7.rows").write_bytes(bytes(64))
    filled.reindex()
    assert not (filled.generation / "flat").exists()


@pytest.mark.promise("The index", "the vector index is written, replaced or removed while a search reads it")
def test_an_open_search_outlives_a_rebuild(indexed: Memory) -> None:
    search = indexed.hybrid()
    before = search.search(Query("door code"))
    indexed.reindex(full=True)
    shutil.rmtree(indexed.index / "set-aside", ignore_errors=True)
    after = search.search(Query("door code"))
    assert after.generation != before.generation
    assert [hit.entry for hit in after.hits] == [hit.entry for hit in before.hits]


def verify(memory: Memory) -> list[str]:
    checks = verify_index(memory.workspace, model=memory.model.choice)
    return [flaw.what for check in checks for flaw in check.flaws]
