"""Our trees are git's trees, and what is read is what git has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.workspaces import LOG, Sandbox
from workbench.errors import NoRepositoryError, RepositoryStateError
from workbench.memory.entry import RelPath
from workbench.repository.git_repository import History
from workbench.repository.objects import BlobId

NAMES = st.sampled_from(["a", "a.md", "a-b", "a0", "b", "sub", "日本", "with space", "z.md"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("trees")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@given(
    st.lists(st.tuples(PATHS, st.sampled_from([b"one", b"two", None]), st.booleans()), min_size=1, max_size=8)
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_spliced_tree_is_the_tree_that_git_writes(
    empty: Path, changes: list[tuple[str, bytes | None, bool]]
) -> None:
    """Whether the changes come one by one or many in one commit."""
    history = History.open(empty)
    blobs = {data: history.store(data) for data in (b"one", b"two")}
    parent = None
    kept: dict[str, BlobId] = {}
    pending: dict[RelPath, BlobId | None] = {}
    for number, (path, data, together) in enumerate(changes, 1):
        clash = any(p.startswith(path + "/") or path.startswith(p + "/") for p in kept)
        if not clash and (data is not None or path in kept):
            blob = None if data is None else blobs[data]
            pending[RelPath(path)] = blob
            kept = {**kept, path: blob} if blob else {p: b for p, b in kept.items() if p != path}
        if pending and (number == len(changes) or not together):
            parent = history.build_commit(parent, pending, "step\n")
            pending = {}
    if parent is not None:
        index = empty / ".git" / "private-index"
        index.unlink(missing_ok=True)
        lines = "".join(f"100644 {blob} 0\t{path}\0" for path, blob in kept.items())
        run = {"cwd": empty, "env": {"GIT_INDEX_FILE": str(index), "PATH": "/usr/bin:/bin"}}
        subprocess.run(["git", "update-index", "-z", "--index-info"], input=lines.encode(), check=True, **run)  # type: ignore[call-overload]
        wanted = subprocess.run(["git", "write-tree"], check=True, capture_output=True, **run)  # type: ignore[call-overload]
        assert history.commit(parent).tree == wanted.stdout.decode().strip()
    history.close()


def test_blobs_are_given_byte_for_byte(sandbox: Sandbox) -> None:
    data = b"\xef\xbb\xbf\x00 odd \xff bytes\r\n\n\n"
    sandbox.write("memory/odd.md", data)
    sandbox.commit("odd")
    history = sandbox.workspace.history
    head = history.head()
    assert history.blob(head, RelPath("memory/odd.md")) == data
    assert history.blob(head, RelPath("memory/none.md")) is None
    assert history.blob(head, RelPath("memory")) is None


def test_commits_of_one_path_and_their_changes(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "# new\n")
    sandbox.commit("memory only\n\nwith a body\n\nActor: agent\nReason: because")
    sandbox.git("mv", "MEMORY.md", "memory/moved.md")
    sandbox.commit("move")
    history = sandbox.workspace.history
    moved, memory_only, _ = history.commits()
    assert set(history.changed_paths(moved)) == {"MEMORY.md", "memory/moved.md"}
    assert history.changed_paths(memory_only) == ("MEMORY.md",)
    assert memory_only.trailers == (("Actor", "agent"), ("Reason", "because"))
    assert [c.subject for c in history.commits(path=RelPath("MEMORY.md"))] == ["move", "memory only", "start"]


def test_more_commits_than_one_batch_are_all_given(sandbox: Sandbox) -> None:
    for number in range(6):
        sandbox.git("commit", "-q", "--allow-empty", "-m", f"c{number}")
    assert [c.subject for c in sandbox.workspace.history.commits(batch=2)] == [
        "c5", "c4", "c3", "c2", "c1", "c0", "start",
    ]  # fmt: skip


def test_a_killed_reader_is_started_again(sandbox: Sandbox) -> None:
    history = sandbox.workspace.history
    head = history.head()
    assert history.blob(head, RelPath(LOG))
    history._objects._process.proc.kill()
    history._objects._process.proc.wait()
    assert history.blob(head, RelPath(LOG))


def test_no_bare_and_foreign_repositories_are_named(tmp_path: Path) -> None:
    with pytest.raises(NoRepositoryError):
        History.open(tmp_path)
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare.git")], check=True)
    with pytest.raises(RepositoryStateError, match="bare"):
        History.open(tmp_path / "bare.git")


def test_a_link_or_submodule_on_the_way_is_refused(sandbox: Sandbox) -> None:
    (sandbox.root / "elsewhere").symlink_to("memory")
    sandbox.commit("link")
    history = sandbox.workspace.history
    with pytest.raises(RepositoryStateError, match="link or a submodule"):
        history.build_commit(history.head(), {RelPath("elsewhere/x.md"): history.store(b"x")}, "m\n")
