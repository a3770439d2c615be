"""The two stores and the cache, each by itself."""

from __future__ import annotations

import gc
import os
import sqlite3
import weakref
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from indexing.document import Stamp, Stored, entry_key, kind_code
from indexing.embedding.cache import EmbeddingCache
from indexing.lexical.index import LexicalReader, LexicalWriter, deleted_share
from indexing.query.question import Question
from indexing.sync.entry_vectors import with_context
from indexing.sync.generations import CONTEXT_WEIGHT
from indexing.vectors import Rows, VectorReader, VectorWriter, open_table
from workbench.errors import IndexUnavailableError
from workbench.memory.entry import Kind, RelPath, entry_hash

STAMP = Stamp(1, 2, 3, "digest")
DAY = date(2026, 3, 14)


def stored(path: str, *texts: str) -> list[Stored]:
    return [
        Stored(
            path=RelPath(path),
            kind=Kind.LOG,
            date=DAY,
            start_line=line,
            end_line=line,
            heading=("Notes",),
            hash=entry_hash(text),
            text=text,
            stamp=STAMP,
        )
        for line, text in enumerate(texts, 1)
    ]


def found(folder: Path, text: str) -> list[str]:
    snapshot = LexicalReader(folder).snapshot()
    return [snapshot.load(match).text for match in snapshot.search(Question(text=text), 10)]


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path)
    writer.replace("a.md", stored("a.md", "red fox", "blue bird"))
    writer.replace("b.md", stored("b.md", "green frog"))
    writer.commit()
    writer.replace("a.md", stored("a.md", "red wolf"))
    writer.commit()
    assert writer.count() == 2
    assert found(tmp_path, "red") == ["red wolf"]
    assert found(tmp_path, "bird") == []
    writer.close()


def test_a_failed_replacement_leaves_the_last_commit(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path)
    writer.replace("a.md", stored("a.md", "red fox"))
    writer.commit()
    broken = [*stored("a.md", "blue bird"), None]
    with pytest.raises(IndexUnavailableError):
        writer.replace("a.md", broken)  # type: ignore[arg-type]
    writer.commit()
    assert (found(tmp_path, "red"), found(tmp_path, "bird")) == (["red fox"], [])
    writer.close()


def test_a_reader_keeps_its_snapshot_and_sees_the_next_commit(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path)
    writer.replace("a.md", stored("a.md", "red fox"))
    writer.commit()
    reader = LexicalReader(tmp_path)
    old = reader.snapshot()
    writer.replace("a.md", stored("a.md", "red wolf", "red hen"))
    writer.commit()
    assert (old.count(), reader.snapshot().count()) == (1, 2)
    writer.close()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted there")
def test_a_reader_has_as_many_threads_after_many_commits_as_after_the_first(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path)
    writer.replace("a.md", stored("a.md", "red fox"))
    writer.commit()
    writer.close()
    reader, meta, counts = LexicalReader(tmp_path), tmp_path / "meta.json", []
    for _ in range(20):
        meta.write_bytes(meta.read_bytes())  # as the next commit does
        assert reader.snapshot().search(Question(text="red"), 1)
        counts.append(len(os.listdir("/proc/self/task")))
    assert max(counts) == counts[0]


def test_a_snapshot_that_nobody_has_is_gone_at_once(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path)
    writer.replace("a.md", stored("a.md", "red fox"))
    writer.commit()
    reader = LexicalReader(tmp_path)
    old = weakref.ref(reader.snapshot())
    writer.replace("a.md", stored("a.md", "red wolf"))
    writer.commit()
    gc.disable()
    try:
        assert reader.snapshot().count() == 1
        assert old() is None
    finally:
        gc.enable()
    writer.close()


def test_compacting_makes_scores_those_of_a_clean_build(tmp_path: Path) -> None:
    texts = [f"fox number {n} met {'a crow' if n % 3 else 'an owl'}" for n in range(30)]
    for name, dirty in (("dirty", True), ("clean", False)):
        writer = LexicalWriter(tmp_path / name)
        for n, text in enumerate(texts):
            writer.replace(f"{n:02}.md", stored(f"{n:02}.md", text))
        if dirty:
            for n in range(10):
                writer.replace(f"x{n}.md", stored(f"x{n}.md", "fox crow", "fox owl"))
            writer.commit()
            for n in range(10):
                writer.replace(f"x{n}.md", ())
        writer.commit()
        if dirty:
            assert deleted_share(tmp_path / name) > 0
            writer.compact()
        writer.close()
    assert deleted_share(tmp_path / "dirty") == 0
    asked = Question(text="fox owl")
    dirty_, clean = (
        [(m.key, m.bm25) for m in LexicalReader(tmp_path / name).snapshot().search(asked, 30)]
        for name in ("dirty", "clean")
    )
    assert dirty_ == clean


def test_looking_up_scores_those_that_match_and_keeps_those_that_do_not(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path)
    writer.replace("a.md", stored("a.md", "red fox", "blue bird"))
    writer.commit()
    writer.close()
    snapshot = LexicalReader(tmp_path).snapshot()
    keys = [entry_key(entry.address) for entry in stored("a.md", "red fox", "blue bird")]
    match = {m.key: m.bm25 for m in snapshot.look_up([*keys, 12345], Question(text="red"))}
    assert set(match) == set(keys)
    assert match[keys[0]] > match[keys[1]] > 0  # the second has the word next door
    assert snapshot.search(Question(text="red"), 5)[0].bm25 == pytest.approx(match[keys[0]])


def rows(*numbers: int, file: str = "a" * 16) -> Rows:
    vectors = np.eye(4, dtype=np.float32)[list(numbers)]
    count = len(numbers)
    days = [DAY.toordinal() + n for n in numbers]
    return Rows(list(numbers), [file] * count, [kind_code(Kind.LOG)] * count, days, vectors)


def test_the_nearest_come_first_among_those_allowed(tmp_path: Path) -> None:
    VectorWriter(tmp_path, 4).replace([], rows(0, 1, 2, 3))
    reader = VectorReader(tmp_path)
    vector = np.array([0.1, 0.9, 0.3, 0.0], np.float32)
    vector /= np.linalg.norm(vector)
    everything = reader.nearest(vector, 3)
    assert everything.keys.tolist() == [1, 2, 0]
    assert everything.cosines == pytest.approx(vector[[1, 2, 0]], abs=1e-5)
    assert reader.nearest(vector, 4, [2, 3, 99]).keys.tolist() == [2, 3]
    assert reader.nearest(vector, 4, []).keys.tolist() == []
    assert reader.cosines(vector, [1, 3, 99]) == pytest.approx({1: float(vector[1]), 3: 0.0}, abs=1e-6)


def test_rows_of_a_file_are_replaced_and_readers_see_it(tmp_path: Path) -> None:
    writer = VectorWriter(tmp_path, 4)
    writer.replace(["a" * 16], rows(0, 1))
    reader = VectorReader(tmp_path)
    writer.replace(["a" * 16], rows(2))
    reader.refresh()
    assert (writer.count(), reader.count()) == (1, 1)
    writer.replace(["a" * 16], None)
    reader.refresh()
    assert reader.nearest(np.ones(4, np.float32), 3).keys.tolist() == []


def test_many_writes_stay_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexing.vectors._MOST_FRAGMENTS", 20)
    writer = VectorWriter(tmp_path, 4)
    for number in range(60):
        writer.replace([f"{number:016x}"], rows(number % 4, file=f"{number:016x}"))
    assert writer.count() == 60
    assert open_table(tmp_path).stats()["fragment_stats"]["num_fragments"] <= 21


def test_what_a_large_build_leaves_is_let_go_by_the_next_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held() -> int:
        return sum(path.stat().st_size for path in tmp_path.rglob("data/*"))

    writer = VectorWriter(tmp_path, 4)
    for _ in range(10):
        writer.replace(["a" * 16], rows(0, 1, 2, 3))
    before = held()
    monkeypatch.setattr("indexing.vectors._SPARE_BYTES", 0)
    VectorWriter(tmp_path, 4)
    assert held() == before, "what a search may still be reading was taken away"
    monkeypatch.setattr("indexing.vectors._KEEP_VERSIONS", timedelta(milliseconds=1))
    assert VectorWriter(tmp_path, 4).count() == 4
    assert held() < before / 5


def test_vectors_of_another_dimension_are_refused(tmp_path: Path) -> None:
    VectorWriter(tmp_path, 4)
    with pytest.raises(IndexUnavailableError, match="schema"):
        VectorWriter(tmp_path, 8)


def test_no_vectors_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError):
        VectorReader(tmp_path)


@given(arrays.arrays(np.float32, (7, 3), elements=st.floats(-1, 1, width=32)))
def test_context_comes_from_the_same_section_only(texts: np.ndarray) -> None:
    section = np.array([0, 0, 0, 1, 2, 2, 2])
    out = with_context(texts, section)
    for at in range(7):
        near = [o for o in range(7) if o != at and abs(o - at) <= 2 and section[o] == section[at]]
        expected = texts[at] + np.float32(CONTEXT_WEIGHT) * texts[near].sum(axis=0)
        expected = expected / max(float(np.linalg.norm(expected)), 1e-12)
        assert np.allclose(out[at], expected, atol=1e-4)


def test_the_cache_gives_back_what_it_was_given_by_model_and_text(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "cache.sqlite")
    vector = np.arange(3, dtype=np.float32)
    cache.put("model a", {"text": vector})
    assert cache.get("model a", ["text", "other"], 3)["text"].tolist() == [0, 1, 2]
    assert cache.get("model b", ["text"], 3) == {}
    assert cache.get("model a", ["text"], 4) == {}
    cache.close()
    assert EmbeddingCache(tmp_path / "cache.sqlite").get("model a", ["text"], 3)


def test_the_cache_forgets_the_oldest_first(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "cache.sqlite", max_rows=10)
    for number in range(25):
        cache.put("m", {f"text {number}": np.ones(2, np.float32)})
    assert cache.count() == 10
    assert cache.get("m", ["text 0", "text 14"], 2) == {}
    assert set(cache.get("m", ["text 15", "text 24"], 2)) == {"text 15", "text 24"}


@pytest.mark.parametrize("data", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_cache_is_set_aside(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(data)
    cache = EmbeddingCache(path)
    cache.put("m", {"text": np.ones(2, np.float32)})
    assert cache.get("m", ["text"], 2)
    assert list(tmp_path.glob("cache.sqlite.damaged-*"))


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "nowhere" / "cache.sqlite")
    cache.put("m", {"text": np.ones(2, np.float32)})
    assert (cache.get("m", ["text"], 2), cache.count()) == ({}, 0)


def test_a_cache_that_is_locked_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache.sqlite"
    cache = EmbeddingCache(path)
    monkeypatch.setattr("indexing.embedding.cache.BUSY_SECONDS", 0.0)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    EmbeddingCache(path).put("m", {"text": np.ones(2, np.float32)})
    other.execute("ROLLBACK")
    other.close()
    assert not list(tmp_path.glob("*.damaged-*"))
    assert cache.count() == 0
