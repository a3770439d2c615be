"""Indexes that are not ours, are taken away, or whose makers are killed: the next sync makes it good."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from tantivy import Document, Index, SchemaBuilder

from indexing.search.answer import Query
from indexing.sync.freshness import freshness
from indexing.sync.report import SyncProgress
from indexing.sync.run import reindex
from indexing.vectors import VectorWriter
from tests.indexing.conftest import Memory
from tests.indexing.test_sync import answers
from tests.support.hashing import HashingEmbedder
from workbench.errors import IndexUnavailableError, WorkbenchError
from workbench.workspace.workspace import Workspace

PROJECT = Path(__file__).resolve().parents[2]


def assert_healed(memory: Memory, clean: object) -> None:
    assert freshness(memory.workspace).state == "fresh"
    assert freshness(memory.workspace).pending == 0
    assert answers(memory) == clean


def test_a_word_index_with_other_fields_is_set_aside_and_built_anew(filled: Memory) -> None:
    clean = answers(filled)
    folder = filled.generation / "lexical"
    shutil.rmtree(folder)
    folder.mkdir()
    builder = SchemaBuilder()
    builder.add_text_field("title", stored=True)
    foreign = Index(builder.build(), path=str(folder))
    writer = foreign.writer()
    writer.add_document(Document(title="door code"))
    writer.commit()
    writer.wait_merging_threads()
    with pytest.raises(IndexUnavailableError):
        filled.lexical().search(Query("door code"))
    filled.reindex()
    assert_healed(filled, clean)


def test_vectors_with_other_columns_are_set_aside_and_the_words_stay(filled: Memory) -> None:
    clean = answers(filled)
    folder = filled.generation / "vectors"
    shutil.rmtree(folder)
    rows = pa.table({"id": [1, 2], "vector": [[1.0, 0.0], [0.0, 1.0]]})
    lancedb.connect(str(folder)).create_table("entries", rows)
    answer = filled.hybrid().search(Query("door code"))
    assert answer.degraded
    assert "door code" in answer.hits[0].snippet
    filled.reindex()
    assert_healed(filled, clean)


def test_vectors_of_another_dimension_under_the_same_name_are_set_aside(filled: Memory) -> None:
    clean = answers(filled)
    folder = filled.generation / "vectors"
    shutil.rmtree(folder)
    VectorWriter(folder, 8)
    answer = filled.hybrid().search(Query("door code"))
    assert answer.degraded
    assert "door code" in answer.hits[0].snippet
    filled.reindex()
    assert_healed(filled, clean)


def test_a_model_whose_vectors_have_another_length_builds_a_generation_aside(filled: Memory) -> None:
    filled.model = HashingEmbedder("hashing@2", filled.model.dimension * 2)
    before = filled.generation.name
    assert "another model" in str(filled.hybrid().search(Query("door code")).degraded)
    filled.reindex()
    assert filled.generation.name != before
    assert filled.hybrid().search(Query("door code")).degraded is None


@pytest.mark.parametrize("kind", ["words", "both"])
def test_an_index_that_is_taken_away_while_it_is_open_is_said_and_comes_back(
    filled: Memory, kind: str
) -> None:
    search = filled.lexical() if kind == "words" else filled.hybrid()
    mode = "lexical" if kind == "words" else "hybrid"
    before = [hit.entry for hit in search.search(Query("door code", mode=mode)).hits]  # type: ignore[arg-type]
    shutil.rmtree(filled.index)
    with pytest.raises(IndexUnavailableError) as caught:
        search.search(Query("door code", mode=mode))  # type: ignore[arg-type]
    assert "reindex" in caught.value.hint
    assert freshness(filled.workspace).state == "missing"
    filled.reindex()
    again = search.search(Query("door code", mode=mode))  # type: ignore[arg-type]
    assert [hit.entry for hit in again.hits] == before
    assert again.degraded is None


@pytest.mark.parametrize("phase", ["words", "embed"])
def test_an_index_that_is_taken_away_in_the_middle_of_a_sync_is_built_by_the_next(
    filled: Memory, phase: str
) -> None:
    clean = answers(filled)

    def take_away(progress: SyncProgress) -> None:
        if progress.phase == phase:
            shutil.rmtree(filled.index, ignore_errors=True)

    with contextlib.suppress(WorkbenchError):  # refused in words, or made again on the spot: nothing else
        reindex(filled.workspace, full=True, model=filled.model.choice, progress=take_away)
    filled.reindex()
    assert_healed(filled, clean)


def test_a_clock_that_goes_backwards_hides_no_change(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    for years, code in ((10, "5512"), (-10, "6613"), (-30, "7714")):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time_ns", lambda years=years: now + years * 365 * 86_400 * 10**9)
            filled.write("MEMORY.md", "Prefers async reviews over meetings", f"The door code is {code}")
            filled.reindex()
            assert code in filled.lexical().search(Query("door code")).hits[0].snippet
            assert freshness(filled.workspace).state == "fresh"
    clean = answers(filled)
    filled.reindex(full=True)
    assert answers(filled) == clean


def test_a_file_that_became_a_folder_does_not_answer_and_what_is_in_it_does(filled: Memory) -> None:
    path = filled.root / "memory/2026-03-15.md"
    path.unlink()
    filled.write("memory/2026-03-15.md/inner.md", "Paired with Lena on the parser")
    assert not [hit for hit in filled.lexical().search(Query("snake_case")).hits if "snake" in hit.snippet]
    report = filled.reindex()
    assert (report.removed, report.added, report.failed) == (1, 1, {})
    (hit,) = filled.lexical().search(Query("paired")).hits
    assert hit.path == "memory/2026-03-15.md/inner.md"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=8m", "none"]
    try:
        subprocess.run(["mount", *options, folder], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a file system may not be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_on_a_disk_that_is_really_full_words_answer_and_a_sync_works_when_there_is_room(
    small_disk: Path,
) -> None:
    memory = Memory(small_disk / "agent")
    memory.write("MEMORY.md", "The door code is 4411")
    memory.reindex()
    memory.write("memory/2026-03-14.md", *(f"note {n} about the launch" for n in range(200)))
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\0" * 4096):
            pass
    with pytest.raises(WorkbenchError) as caught:
        memory.reindex()
    assert "No space left" in caught.value.message
    assert "space" in caught.value.hint
    assert "4411" in memory.lexical().search(Query("door code")).hits[0].snippet
    ballast.unlink()
    memory.reindex()
    clean = answers(memory)
    shutil.rmtree(memory.index)
    memory.reindex()
    assert answers(memory) == clean


def test_a_bulk_process_that_is_killed_while_embedding_leaves_words_and_the_next_goes_on(
    memory: Memory, tiny: Path, tmp_path: Path
) -> None:
    for day in range(1, 28):
        memory.write(
            f"memory/2026-03-{day:02}.md", *(f"day {day} item {n} {n * day} " * 8 for n in range(40))
        )
    memory.write("MEMORY.md", "The door code is 4411")
    settings = tmp_path / "settings.yaml"
    settings.write_text(f"model: {tiny}\n")
    environment = {**os.environ, "WORKBENCH_CONFIG": str(settings)}
    command = [sys.executable, "-m", "workbench.worker", "reindex", str(memory.root)]

    nothing = subprocess.DEVNULL
    child = subprocess.Popen(command, cwd=PROJECT, env=environment, stdin=nothing, stdout=subprocess.PIPE)
    assert child.stdout is not None
    for line in child.stdout:
        said = json.loads(line)
        if said.get("phase") == "embed" and 0 < said["done"] < said["total"]:
            reached = said["done"]
            child.send_signal(signal.SIGKILL)
            break
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL

    assert "4411" in memory.lexical().search(Query("door code")).hits[0].snippet
    assert freshness(memory.workspace).pending > 0
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, stdin=nothing, capture_output=True, check=True
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    counts = [one["done"] for one in told if one.get("phase") == "embed"]
    assert counts[0] >= reached, "the count began again"
    report = told[-1]["report"]
    assert report["vectors"] is None
    assert report["from_cache"] > 0, "what was embedded before the kill was embedded again"
    assert freshness(Workspace.open(memory.root)).pending == 0


def test_zero_vectors_in_the_table_answer_nothing_and_break_nothing(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411", "Prefers async reviews")
    memory.reindex()
    embed = memory.model.embed
    memory.model.embed = lambda texts: np.zeros_like(embed(texts))  # type: ignore[method-assign]
    answer = memory.hybrid().search(Query("door code"))
    assert "4411" in answer.hits[0].snippet
