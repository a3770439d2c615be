"""Memory on a disk that cannot be written, or that belongs to somebody else."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexing import vectors  # noqa: F401 - loaded before rights are given up
from indexing.lexical import index  # noqa: F401
from indexing.lexical.index import lockable, stand_in
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.storage import RefusedError, engine
from indexing.sync.freshness import freshness
from indexing.sync.run import reindex
from tests.indexing.conftest import Memory
from tests.indexing.test_sync import answers
from tests.support.workspaces import Sandbox
from workbench.errors import IndexUnavailableError, ReadOnlyError
from workbench.workspace.workspace import Workspace

NOBODY = 65534
EVERYTHING = ("door code", "launch", "登录模块", "snake_case")


@contextlib.contextmanager
def mounted_read_only(folder: Path) -> Iterator[None]:
    """``folder`` on a file system that refuses every write, or the test is skipped."""
    bind = subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True, check=False)
    if bind.returncode:
        pytest.skip("mounting is not permitted here")
    try:
        remount = ["mount", "-o", "remount,bind,ro", str(folder)]
        if subprocess.run(remount, capture_output=True, check=False).returncode:
            pytest.skip("mounting read-only is not permitted here")
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextlib.contextmanager
def without_the_right_to_write(folder: Path) -> Iterator[None]:
    """Everything below ``folder`` readable for all and writable for nobody, met without privileges."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with unprivileged():
            yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """Root, who may do anything, acts as nobody; anybody else as themselves."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def give_away(memory: Memory) -> None:
    """Let the unprivileged own all of it, so that nothing but what a test takes away is refused."""
    if not os.geteuid():
        for path in (memory.root, *memory.root.rglob("*")):
            os.chown(path, NOBODY, -1)


@pytest.fixture
def shared() -> Iterator[Memory]:
    """A small workspace with its index, in a folder that everybody can reach."""
    with tempfile.TemporaryDirectory(prefix="shared-") as folder:
        Path(folder).chmod(0o755)
        memory = Memory(Path(folder) / "agent")
        memory.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4411")
        memory.write("memory/2026-03-14.md", "moved the launch to April", "今天修复了登录模块的超时问题")
        memory.write("memory/2026-03-15.md", "Paired with Miguel on snake_case names")
        memory.reindex()
        yield memory


Protect = Callable[[Path], contextlib.AbstractContextManager[None]]
both = pytest.mark.parametrize("protect", [mounted_read_only, without_the_right_to_write])


def state(memory: Memory) -> dict[Path, tuple[int, int]]:
    paths = sorted(memory.root.rglob("*"))
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in paths}


@pytest.fixture
def passing(shared: Memory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for passing files, which this test alone uses and everybody may write."""
    folder = shared.root.parent / "passing"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@both
def test_search_gives_the_same_answers_where_nothing_can_be_written(
    shared: Memory, passing: Path, protect: Protect, capfd: pytest.CaptureFixture[str]
) -> None:
    expected, before = answers(shared), state(shared)
    with protect(shared.root):
        found = answers(shared)
        said = [shared.hybrid().search(Query(text)) for text in EVERYTHING]
        fresh = freshness(shared.workspace)
    assert found == expected
    assert all(answer.degraded is None and answer.stale is None and answer.hits for answer in said)
    assert fresh.state == "fresh"
    assert state(shared) == before
    assert list(passing.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@both
def test_reindex_is_refused_in_words_where_nothing_can_be_written(shared: Memory, protect: Protect) -> None:
    shared.write("MEMORY.md", "The door code is 5522")
    before = state(shared)
    with protect(shared.root):
        with pytest.raises(ReadOnlyError) as caught:
            shared.reindex()
        planned = reindex(shared.workspace, dry_run=True, model=shared.model.choice)
    assert "cannot" in caught.value.message
    assert planned.changed == 1
    assert state(shared) == before
    assert shared.reindex().rebuilt is None


def test_a_commit_made_elsewhere_is_seen_where_nothing_can_be_written(shared: Memory) -> None:
    searches: list[IndexSearch] = [shared.lexical(), shared.hybrid()]
    with without_the_right_to_write(shared.root):
        assert all(one.search(Query("door code")).hits for one in searches)
    shared.write("memory/2026-03-17.md", "Bought a xylophone")
    for full in (False, True):
        shared.reindex(full=full)
        with without_the_right_to_write(shared.root):
            assert all("xylophone" in one.search(Query("xylophone")).hits[0].snippet for one in searches)


def test_an_index_that_may_not_be_read_is_said_to_be_that(shared: Memory) -> None:
    before = state(shared)
    shared.index.chmod(0)
    with unprivileged():
        for one in (shared.lexical(), shared.hybrid()):
            with pytest.raises(IndexUnavailableError, match="Permission denied") as caught:
                one.search(Query("door"))
            assert "reindex" not in caught.value.hint
        assert freshness(shared.workspace).state == "unreadable"
        assert "permission" in freshness(shared.workspace).summary
    shared.index.chmod(0o700)
    assert state(shared) == before


def test_what_another_version_left_unreadable_in_its_index_stops_no_sync(shared: Memory) -> None:
    manifest, pending = shared.generation / "manifest.json", shared.generation / "pending.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "words": "of another version"}))
    pending.write_text("[]")
    give_away(shared)
    pending.chmod(0)
    with unprivileged():
        assert shared.reindex().rebuilt == "another version of the program made it"


@pytest.mark.parametrize("part", ["vectors", "model.json"])
def test_vectors_that_may_not_be_read_leave_the_words_and_the_reason(shared: Memory, part: str) -> None:
    give_away(shared)
    (shared.generation / part).chmod(0)
    with unprivileged():
        answer = shared.hybrid().search(Query("door code"))
    assert answer.hits
    assert answer.degraded is not None
    assert "Permission denied: keyword search only" in answer.degraded
    assert not (shared.generation / "suspect").exists()


def test_words_that_may_not_be_read_are_not_called_damaged(shared: Memory) -> None:
    (store,) = shared.generation.glob("lexical/*.store")
    give_away(shared)
    store.chmod(0)
    with unprivileged(), pytest.raises(IndexUnavailableError, match="Permission denied"):
        shared.lexical().search(Query("door code"))
    store.chmod(0o600)
    assert freshness(shared.workspace).state == "fresh"
    assert shared.reindex().rebuilt is None


def test_a_sync_that_is_refused_sets_nothing_aside(shared: Memory) -> None:
    before = answers(shared)
    give_away(shared)
    shared.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 5522")
    lexical = shared.generation / "lexical"
    lexical.chmod(0o500)
    with unprivileged(), pytest.raises(ReadOnlyError, match="Permission denied"):
        shared.reindex()
    lexical.chmod(0o700)
    assert not (shared.index / "set-aside").exists()
    assert shared.generation.name == "gen-1"
    assert shared.reindex().rebuilt is None
    assert answers(shared) != before
    assert "5522" in shared.lexical().search(Query("door code")).hits[0].snippet


def test_without_any_temporary_folder_the_reason_is_told(
    shared: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object, **__: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "mkdtemp", none)
    with without_the_right_to_write(shared.root), pytest.raises(RefusedError, match="temporary"):
        shared.lexical().search(Query("door"))


def test_a_writable_folder_is_opened_in_place(shared: Memory) -> None:
    lexical = shared.generation / "lexical"
    assert lockable(lexical)
    with stand_in(lexical) as links:
        names = {path.name for path in links.iterdir()}
        assert "meta.json" in names
        assert not any(name.endswith(".lock") for name in names)
    assert not links.exists()


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ('IoError(Os { code: 30, kind: ReadOnlyFilesystem, message: "Read-only file system" })', True),
        ("lance error: LanceError(IO): Permission denied (os error 13), local.rs:274:24", True),
        ("Too many open files (os error 24)", True),
        ("No such file or directory (os error 2)", False),
        ("data corruption in block 13", False),
    ],
)
def test_a_refusal_is_told_apart_from_damage(text: str, refused: bool) -> None:
    with pytest.raises(IndexUnavailableError) as caught, engine("it failed"):
        raise ValueError(text)
    assert isinstance(caught.value, RefusedError) is refused


def test_a_locale_that_cannot_write_the_folders_name_damages_nothing(sandbox: Sandbox) -> None:
    root = sandbox.root.rename(sandbox.root.parent / "agent 🧠")
    place = Workspace.open(root)
    reindex(place, vectors=False)
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "search", "port", "--mode", "lexical"],
        cwd=root,
        env=plain,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    assert "UTF-8 locale" in done.stderr
    assert freshness(place).state == "fresh"
