"""The long-lived reading process: right answers whatever other programs do to the repository meanwhile."""

from __future__ import annotations

import subprocess

import pytest

from tests.support.workspaces import MEMORY_TEXT, Sandbox
from workbench.errors import RepositoryStateError
from workbench.memory.entry import RelPath
from workbench.operations.promote import plan_promote
from workbench.repository import objects
from workbench.repository.objects import CommitId


def test_a_tag_that_is_named_like_head_never_blocks_the_reader(sandbox: Sandbox) -> None:
    sandbox.git("tag", "HEAD")
    head = sandbox.git("rev-parse", "refs/heads/main").strip()
    history = sandbox.workspace.history
    assert {history.head() for _ in range(4_000)} == {head}


def test_an_answer_that_nobody_finished_reading_is_not_taken_for_the_next(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = sandbox.workspace.history
    head = history.head()
    assert head is not None
    real = objects.ObjectReader._ask

    def interrupted(self: objects.ObjectReader, name: str) -> bytes:
        real(self, name)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(objects.ObjectReader, "_ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            history.commit(head)
    assert history.blob(head, RelPath("MEMORY.md")) == MEMORY_TEXT.encode()
    assert history.head() == head


def test_an_object_of_a_size_that_no_memory_has_is_refused_before_it_is_read(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = sandbox.workspace.history
    name = history.store(b"x" * 2_000)
    monkeypatch.setattr(objects, "_LARGEST", 1_000)
    with pytest.raises(RepositoryStateError, match="2000 bytes"):
        history.stored(name)
    assert history.blob(history.head(), RelPath("MEMORY.md")) == MEMORY_TEXT.encode()


def test_the_reader_follows_head_through_everything_that_git_does_to_it(sandbox: Sandbox) -> None:
    history = sandbox.workspace.history

    def follows() -> CommitId | None:
        found = subprocess.run(
            ["git", "-C", str(sandbox.root), "rev-parse", "-q", "--verify", "HEAD^{commit}"],
            capture_output=True,
            check=False,
        )
        assert history.head() == (found.stdout.decode().strip() or None)
        return history.head()

    first = follows()
    sandbox.git("pack-refs", "--all")
    follows()
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- more\n")
    sandbox.git("commit", "-qam", "more")
    second = follows()
    sandbox.git("branch", "side", "HEAD^")
    sandbox.git("pack-refs", "--all")
    sandbox.git("symbolic-ref", "HEAD", "refs/heads/side")
    assert follows() == first
    sandbox.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert follows() is None
    sandbox.git("symbolic-ref", "HEAD", "refs/heads/main")
    sandbox.git("repack", "-adq")
    sandbox.git("prune-packed", "-q")
    assert follows() == second
    assert history.blob(first, RelPath("MEMORY.md")) == MEMORY_TEXT.encode()
    sandbox.git("gc", "-q", "--prune=now")
    assert history.blob(second, RelPath("MEMORY.md")) == MEMORY_TEXT.encode() + b"- more\n"
    sandbox.git("checkout", "-q", "--detach", "side")
    assert follows() == first


def test_the_index_follows_for_any_number_of_files(sandbox: Sandbox) -> None:
    """More names than one command line may hold."""
    history = sandbox.workspace.history
    head = history.head()
    assert head is not None
    paths = [RelPath(f"memory/{'x' * 200}/{number}.md") for number in range(12_000)]
    assert history.refresh_index(head, head, [*paths, RelPath("MEMORY.md")]) == ""


def commit_of(sandbox: Sandbox, data: bytes, kind: str = "commit") -> str:
    """An object that git stores although it would not write it itself."""
    done = subprocess.run(
        ["git", "-C", str(sandbox.root), "hash-object", "-t", kind, "-w", "--literally", "--stdin"],
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


@pytest.mark.parametrize(
    "said",
    [b"", b"author A <a> 1 +0000\n", b"author\ncommitter C <c> " + b"9" * 5_000 + b" +0000\n"],
    ids=["nothing", "no committer", "an endless moment"],
)
def test_a_commit_that_is_written_badly_is_listed_and_stops_nothing(sandbox: Sandbox, said: bytes) -> None:
    tree, head = (sandbox.git("rev-parse", name).strip() for name in ("HEAD^{tree}", "HEAD"))
    bad = commit_of(sandbox, f"tree {tree}\nparent {head}\n".encode() + said + b"\nbad\n")
    sandbox.git("update-ref", "HEAD", bad)
    place = sandbox.workspace
    address = sandbox.address("staging port")
    place.operations.carry_out(lambda: plan_promote(place, [address]))
    assert [operation.summary for operation in place.operations.walk()][1:] == ["bad", "start"]


def test_folders_of_any_depth_have_a_history(sandbox: Sandbox) -> None:
    history = sandbox.workspace.history
    blob = history.store(b"deep\n")
    tree = commit_of(sandbox, b"100644 x.md\0" + bytes.fromhex(blob), "tree")
    for _ in range(1_500):
        tree = commit_of(sandbox, b"40000 d\0" + bytes.fromhex(tree), "tree")
    commit = sandbox.git("commit-tree", tree, "-p", "HEAD", "-m", "deep").strip()
    changed = history.changed_paths(history.commit(CommitId(commit)))
    path = "d/" * 1_500 + "x.md"
    assert path in changed
    assert (path, blob) in list(history.files_in(CommitId(commit), lambda folder, tree: True))


def test_a_damaged_tree_is_said(sandbox: Sandbox) -> None:
    history = sandbox.workspace.history
    tree = commit_of(sandbox, b"100644 MEMORY.md\0short", "tree")
    commit = sandbox.git("commit-tree", tree, "-p", "HEAD", "-m", "damaged").strip()
    with pytest.raises(RepositoryStateError, match="damaged"):
        history.changed_paths(history.commit(CommitId(commit)))
