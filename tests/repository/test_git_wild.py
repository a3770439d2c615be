"""Repositories in every state and shape that git knows: each has one answer, and costs the person nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.workspaces import EPISODE, LOG, MEMORY_TEXT, Sandbox
from workbench.errors import NoGitError, RepositoryStateError, WorkbenchError
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

OURS = "The staging port is 8443"
PROJECT = Path(__file__).resolve().parents[2]


def at(root: Path) -> Sandbox:
    """A workspace that is there already."""
    sandbox = Sandbox.__new__(Sandbox)
    sandbox.root = root
    sandbox.workspace = Workspace.open(root)
    return sandbox


def promote(sandbox: Sandbox) -> Operation:
    address = sandbox.address("staging port")
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


def require_works(sandbox: Sandbox) -> Operation:
    """Action, undo and redo work, git sees nothing to do, and the person's next commits keep what we did."""
    before = sandbox.read("MEMORY.md")
    status = sandbox.git("status", "--porcelain")
    stash = sandbox.git("stash", "list")
    operation = promote(sandbox)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.read("MEMORY.md") == before
    place.operations.carry_out(lambda: plan_redo(place))
    assert sandbox.git("status", "--porcelain") == status
    assert sandbox.git("stash", "list") == stash
    sandbox.git("commit", "-q", "--allow-empty", "-a", "-m", "theirs")
    assert OURS in sandbox.git("show", "HEAD:./MEMORY.md")
    assert OURS.encode() in sandbox.read("MEMORY.md")
    sandbox.git("fsck", "--strict")
    return operation


def require_refused(sandbox: Sandbox, match: str) -> None:
    """The action is refused with what to do, and neither a file, nor the index, nor HEAD has changed."""
    index = Path(sandbox.git("rev-parse", "--absolute-git-dir").strip()) / "index"

    def state() -> tuple[object, ...]:
        status = sandbox.git("status", "--porcelain=v2", "--branch")
        return sandbox.snapshot(), status, index.read_bytes() if index.exists() else None

    before = state()
    with pytest.raises(RepositoryStateError, match=match) as refused:
        promote(sandbox)
    assert refused.value.hint
    assert state() == before


# -- something unfinished ------------------------------------------------------------------------


def diverge(sandbox: Sandbox) -> None:
    """Two branches that change the same line of a file that is no memory."""
    sandbox.write("code.txt", "one\n")
    sandbox.commit("base")
    sandbox.git("switch", "-q", "-c", "other")
    for text in ("two\n", "three\n"):
        sandbox.write("code.txt", text)
        sandbox.commit(text)
    sandbox.git("switch", "-q", "main")
    sandbox.write("code.txt", "four\n")
    sandbox.commit("four")


def stop_at_conflict(*arguments: str) -> Callable[[Sandbox], None]:
    def begin(sandbox: Sandbox) -> None:
        diverge(sandbox)
        with pytest.raises(subprocess.CalledProcessError):
            sandbox.git(*arguments)

    return begin


def stop_am(sandbox: Sandbox) -> None:
    diverge(sandbox)
    patch = sandbox.git("format-patch", "-1", "--stdout", "other")
    mail = sandbox.root.with_name("patch")
    mail.write_text(patch)
    with pytest.raises(subprocess.CalledProcessError):
        sandbox.git("am", str(mail))


def stop_revert(sandbox: Sandbox) -> None:
    diverge(sandbox)
    with pytest.raises(subprocess.CalledProcessError):
        sandbox.git("revert", "--no-edit", "HEAD~1")


def stop_sequence(sandbox: Sandbox) -> None:
    """Between two picks of one command: the conflict is committed, the rest is still to come."""
    stop_at_conflict("cherry-pick", "main..other")(sandbox)
    sandbox.git("commit", "-qam", "resolved")
    assert not (sandbox.root / ".git/CHERRY_PICK_HEAD").exists()


def begin_bisect(sandbox: Sandbox) -> None:
    for n in range(4):
        sandbox.write("code.txt", str(n))
        sandbox.commit(str(n))
    sandbox.git("bisect", "start", "HEAD", "HEAD~4")


@pytest.mark.promise(
    "Git",
    "rebase, merge, cherry-pick, revert, bisect, `git am`",
    "reported; actions are refused until it is finished",
)
@pytest.mark.parametrize(
    ("begin", "name", "abort"),
    [
        (stop_at_conflict("rebase", "--merge", "other"), "a rebase", ("rebase", "--abort")),
        (stop_at_conflict("rebase", "--apply", "other"), "a rebase", ("rebase", "--abort")),
        (stop_at_conflict("merge", "other"), "a merge", ("merge", "--abort")),
        (stop_at_conflict("cherry-pick", "other"), "a cherry-pick", ("cherry-pick", "--abort")),
        (stop_revert, "a revert", ("revert", "--abort")),
        (stop_sequence, "several commits", ("cherry-pick", "--quit")),
        (stop_am, "git am", ("am", "--abort")),
        (begin_bisect, "a bisect", ("bisect", "reset")),
    ],
    ids=["rebase", "rebase by patches", "merge", "cherry-pick", "revert", "sequence", "am", "bisect"],
)
def test_what_is_unfinished_is_named_and_waited_for(
    sandbox: Sandbox, begin: Callable[[Sandbox], None], name: str, abort: tuple[str, ...]
) -> None:
    begin(sandbox)
    require_refused(sandbox, name)
    assert list(sandbox.workspace.operations.walk())
    sandbox.git(*abort)
    require_works(sandbox)


@pytest.mark.promise("Git", "detached HEAD", "works, with a note that no branch holds the commit")
def test_on_a_detached_head_an_action_works_and_says_that_no_branch_has_it(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "--detach")
    operation = require_works(sandbox)
    assert any("on no branch" in note for note in operation.notes)
    sandbox.git("switch", "-q", "-c", "kept")
    assert not any("on no branch" in note for note in promote_other(sandbox).notes)


def promote_other(sandbox: Sandbox) -> Operation:
    place = sandbox.workspace
    address = sandbox.address("tantivy")
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


# -- shapes of repositories ----------------------------------------------------------------------


def as_it_is(sandbox: Sandbox) -> Path:
    return sandbox.root


def linked_worktree(sandbox: Sandbox) -> Path:
    target = sandbox.root.with_name("tree")
    sandbox.git("worktree", "add", "-q", "-b", "other", str(target))
    return target


def worktree_with_own_config(sandbox: Sandbox) -> Path:
    sandbox.git("config", "extensions.worktreeConfig", "true")
    sandbox.git("config", "--worktree", "user.name", "Own Name")
    return sandbox.root


def packed_refs_only(sandbox: Sandbox) -> Path:
    sandbox.git("pack-refs", "--all", "--prune")
    assert not (sandbox.root / ".git/refs/heads/main").exists()
    return sandbox.root


def packed_with_commit_graph(sandbox: Sandbox) -> Path:
    sandbox.git("gc", "-q")
    sandbox.git("commit-graph", "write", "--reachable")
    sandbox.git("multi-pack-index", "write")
    return sandbox.root


def clone(sandbox: Sandbox, *options: str) -> Path:
    target = sandbox.root.with_name("clone")
    subprocess.run(
        ["git", "clone", "-q", *options, f"file://{sandbox.root}", str(target)],
        check=True, capture_output=True,
    )  # fmt: skip
    return target


def shallow(sandbox: Sandbox) -> Path:
    sandbox.write("more.txt", "more\n")
    sandbox.commit("more")
    return clone(sandbox, "--depth", "1")


def partial(sandbox: Sandbox) -> Path:
    sandbox.git("config", "uploadpack.allowFilter", "true")
    sandbox.write("more.txt", "more\n")
    sandbox.commit("more")
    return clone(sandbox, "--filter=blob:none")


def alternates(sandbox: Sandbox) -> Path:
    return clone(sandbox, "--reference", str(sandbox.root))


def replaced(sandbox: Sandbox) -> Path:
    sandbox.write("more.txt", "more\n")
    sandbox.commit("more")
    sandbox.git("replace", "HEAD~1", sandbox.git("commit-tree", "HEAD^{tree}", "-m", "false past").strip())
    return sandbox.root


def grafted(sandbox: Sandbox) -> Path:
    sandbox.write("more.txt", "more\n")
    sandbox.commit("more")
    head = sandbox.git("rev-parse", "HEAD").strip()
    sandbox.write(".git/info/grafts", f"{head}\n")
    return sandbox.root


def sparse_cone(sandbox: Sandbox) -> Path:
    sandbox.write("far/away.txt", "left out\n")
    sandbox.commit("far")
    sandbox.git("sparse-checkout", "set", "--cone", "memory", "episodes")
    assert not (sandbox.root / "far").exists()
    return sandbox.root


def sparse_index(sandbox: Sandbox) -> Path:
    sparse_cone(sandbox)
    sandbox.git("sparse-checkout", "reapply", "--sparse-index")
    return sandbox.root


def sparse_without_cone(sandbox: Sandbox) -> Path:
    sandbox.write("far/away.txt", "left out\n")
    sandbox.commit("far")
    sandbox.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/")
    assert not (sandbox.root / "far").exists()
    return sandbox.root


def split_index(sandbox: Sandbox) -> Path:
    sandbox.git("update-index", "--split-index", "--untracked-cache")
    return sandbox.root


def inside_a_submodule(sandbox: Sandbox) -> Path:
    outer = sandbox.root.with_name("outer")
    subprocess.run(["git", "init", "-q", str(outer)], check=True)
    subprocess.run(
        ["git", "-C", str(outer), "-c", "protocol.file.allow=always",
         "submodule", "add", "-q", str(sandbox.root), "agent"],
        check=True, capture_output=True,
    )  # fmt: skip
    return outer / "agent"


def git_file_pointing_elsewhere(sandbox: Sandbox) -> Path:
    elsewhere = sandbox.root.with_name("git folder")
    (sandbox.root / ".git").rename(elsewhere)
    sandbox.write(".git", f"gitdir: {elsewhere}\n")
    return sandbox.root


def with_another_bare_repository_inside(sandbox: Sandbox) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", str(sandbox.root / "memory/embedded")], check=True)
    sandbox.write("memory/embedded/note.md", "- embedded note\n")
    sandbox.commit("embedded")
    return sandbox.root


def with_a_branch_of_odd_name(sandbox: Sandbox) -> Path:
    sandbox.git("switch", "-q", "-c", "feature/ünï-☂-'quoted'")
    return sandbox.root


@pytest.mark.promise("Git", "linked worktree, packed refs, alternates, commit graph, replace refs, grafts")
@pytest.mark.parametrize(
    "shape",
    [
        as_it_is, linked_worktree, worktree_with_own_config, packed_refs_only, packed_with_commit_graph,
        shallow, partial, alternates, replaced, grafted, sparse_cone, sparse_index, sparse_without_cone,
        split_index, inside_a_submodule, git_file_pointing_elsewhere, with_another_bare_repository_inside,
        with_a_branch_of_odd_name,
    ],
    ids=lambda shape: shape.__name__,
)  # fmt: skip
def test_in_a_repository_of_any_shape_actions_work_and_are_kept(
    sandbox: Sandbox, shape: Callable[[Sandbox], Path]
) -> None:
    found = at(shape(sandbox))
    require_works(found)
    assert any(operation.action == "promote" for operation in found.workspace.operations.walk())
    found.close()


@pytest.mark.promise(
    "Git",
    "linked worktree, packed refs, alternates, commit graph, replace refs, grafts",
    "works, and everything else stays as it is",
)
def test_an_action_in_a_linked_worktree_leaves_the_main_one_as_it_is(sandbox: Sandbox) -> None:
    tree = at(linked_worktree(sandbox))
    index = (sandbox.root / ".git/index").read_bytes()
    require_works(tree)
    tree.close()
    assert (sandbox.root / ".git/index").read_bytes() == index
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "1"


@pytest.mark.promise("Git", "SHA-256, reftables", "work")
@pytest.mark.parametrize("size", ["sha1", "sha256"])
def test_with_either_hash_actions_work(tmp_path: Path, size: str) -> None:
    sandbox = Sandbox(tmp_path / "w", repository=False)
    sandbox.git("init", "-q", f"--object-format={size}", "-b", "main")
    sandbox.commit("start")
    require_works(sandbox)
    sandbox.close()


@pytest.mark.promise("Git", "SHA-256, reftables")
def test_with_reftables_actions_work(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "w", repository=False)
    done = subprocess.run(
        ["git", "-C", str(sandbox.root), "init", "-q", "--ref-format=reftable"],
        check=False,
        capture_output=True,
    )
    if done.returncode:
        pytest.skip("this git knows no reftables")
    sandbox.commit("start")
    require_works(sandbox)
    sandbox.close()


@pytest.mark.promise(
    "Git",
    "submodule, or a repository inside the workspace",
    "refused from outside; works when it is opened itself",
)
@pytest.mark.parametrize("state", ["submodule", "clone"])
def test_a_memory_folder_that_is_a_repository_of_its_own_is_refused_and_works_when_opened(
    sandbox: Sandbox, tmp_path: Path, state: str
) -> None:
    inner = Sandbox(tmp_path / "inner")
    inner.close()
    outer = Sandbox(tmp_path / "outer", repository=False)
    outer.git("init", "-q", "-b", "main")
    for path in (LOG, "memory"):
        target = outer.root / path
        target.rmdir() if target.is_dir() else target.unlink()
    if state == "submodule":
        outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "memory")
    else:
        outer.git("clone", "-q", str(inner.root), "memory")
    outer.git("add", "MEMORY.md", "episodes")
    outer.git("commit", "-qm", "outer")
    place = outer.workspace
    address = next(e.address for e in place.document(f"memory/{EPISODE}").entries if "Friday" in e.text)
    before = outer.git("status", "--porcelain=v2")
    with pytest.raises(RepositoryStateError, match="separate repository"):
        place.operations.carry_out(lambda: plan_forget(place, [address]))
    assert outer.git("status", "--porcelain=v2") == before
    outer.close()
    within = at(outer.root / "memory")
    require_works(within)
    within.close()


# -- settings and surroundings -------------------------------------------------------------------


def test_a_work_tree_that_the_settings_put_elsewhere_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    sandbox.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    place = Workspace.open(sandbox.root)
    with pytest.raises(RepositoryStateError, match=r"core\.worktree"):
        place.history.head()
    assert place.read("MEMORY.md")


@pytest.mark.promise(
    "Git", "a bare repository, or one of another owner", "actions are refused, memory can be read"
)
def test_a_repository_that_is_said_to_be_bare_is_refused(sandbox: Sandbox) -> None:
    sandbox.git("config", "core.bare", "true")
    with pytest.raises(RepositoryStateError, match="bare"):
        Workspace.open(sandbox.root).history.head()


@pytest.mark.promise("Git", "a bare repository, or one of another owner")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_owner_is_refused_and_its_memory_still_read(sandbox: Sandbox) -> None:
    for path in (sandbox.root, sandbox.root / ".git"):
        os.chown(path, 12345, 12345)
    place = Workspace.open(sandbox.root)
    with pytest.raises(RepositoryStateError, match="belongs to another user") as refused:
        place.history.head()
    assert "safe.directory" in refused.value.hint
    assert place.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert place.scan()


def test_variables_of_git_in_the_environment_change_nothing(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Sandbox(tmp_path / "other")
    theirs = other.git("rev-parse", "HEAD")
    canary = tmp_path / "canary"
    sandbox.close()
    with monkeypatch.context() as patch:
        for name, value in {
            "GIT_DIR": str(other.root / ".git"),
            "GIT_WORK_TREE": str(other.root),
            "GIT_INDEX_FILE": str(tmp_path / "index"),
            "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
            "GIT_NAMESPACE": "elsewhere",
            "GIT_AUTHOR_NAME": "Somebody Else",
            "GIT_EXTERNAL_DIFF": f"touch {canary}",
            "GIT_SSH_COMMAND": f"touch {canary}",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": f"touch {canary}",
            "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='touch {canary}'",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_CEILING_DIRECTORIES": str(tmp_path),
        }.items():
            patch.setenv(name, value)
        sandbox.workspace = Workspace.open(sandbox.root)
        promote(sandbox)
    assert sandbox.git("log", "-1", "--format=%an").strip() == "Test Person"
    assert OURS in sandbox.git("show", "HEAD:MEMORY.md")
    assert other.git("rev-parse", "HEAD") == theirs
    assert not canary.exists()
    assert not (tmp_path / "index").exists()
    assert not (tmp_path / "objects").exists()
    other.close()


def run(
    sandbox: Sandbox, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return forked.run_text("-w", sandbox.root, *arguments, cwd=PROJECT, env=env)


def test_without_a_home_actions_work(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    environment = {"PATH": os.environ["PATH"]}
    done = run(sandbox, "promote", address, env=environment)
    assert done.returncode == 0, done.stderr
    assert OURS in sandbox.git("show", "HEAD:MEMORY.md")
    assert run(sandbox, "undo", env=environment).returncode == 0
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.promise("Git", "git missing, or too old", "reading works; actions say what is missing")
def test_without_git_browsing_works_and_an_action_says_what_is_missing(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    address = sandbox.address("staging port")
    environment = {**os.environ, "PATH": str(tmp_path / "nothing")}
    assert run(sandbox, "get", "MEMORY.md", env=environment).stdout == MEMORY_TEXT
    assert "git was not found" in run(sandbox, "status", env=environment).stdout
    refused = run(sandbox, "promote", address, env=environment)
    assert refused.returncode == 1
    assert "git was not found" in refused.stderr
    assert "install git" in refused.stderr
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


@pytest.mark.promise("Git", "git missing, or too old")
def test_a_git_too_old_to_be_told_what_not_to_run_is_refused(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 2.31 the overrides that switch hooks and filters off would be ignored without a word."""
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\necho $1 >> {tmp_path}/ran\n[ "$1" = version ] && echo git version 2.30.9\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:/bin:/usr/bin")
    with pytest.raises(NoGitError, match=r"2\.30\.9"):
        Workspace.open(sandbox.root).history.head()
    assert set((tmp_path / "ran").read_text().split()) == {"version"}


@pytest.mark.promise("Git", "read-only `.git` or folder", "refused before anything is done")
@pytest.mark.parametrize("place", [".git", ".git/objects", ".git/refs/heads"])
def test_where_git_may_not_be_written_the_action_is_refused_and_the_files_stay(
    sandbox: Sandbox, place: str
) -> None:
    promote_other(sandbox)  # all that is needed is loaded now: the child may not read the program
    text = sandbox.read("MEMORY.md")
    locked = [sandbox.root / place, *(sandbox.root / place).rglob("*")]
    for path in locked:
        path.chmod(0o555 if path.is_dir() else 0o444)
    said = as_somebody_who_may_not(sandbox)
    assert said.startswith("refused: "), said
    assert "→" in said
    assert sandbox.read("MEMORY.md") == text
    for path in locked:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert as_somebody_who_may_not(sandbox) == "done"
    assert OURS in sandbox.git("-c", f"safe.directory={sandbox.root}", "show", "HEAD:MEMORY.md")


def test_a_folder_of_ours_that_nobody_may_enter_stops_no_reading(sandbox: Sandbox) -> None:
    promote_other(sandbox)
    folder = sandbox.root / ".git/workbench"
    folder.chmod(0)
    said = as_somebody_who_may_not(sandbox, _try_to_read)
    folder.chmod(0o700)
    assert said == "promote, commit"


def as_somebody_who_may_not(sandbox: Sandbox, tries: Callable[[Path], str] | None = None) -> str:
    """Promote, or do something else, in a child process without root's powers, and what it said."""
    nobody = 65534 if os.geteuid() == 0 else os.geteuid()
    if os.geteuid() == 0:
        for path in [sandbox.root, *sandbox.root.rglob("*")]:
            os.chown(path, nobody, nobody, follow_symlinks=False)
        for folder in sandbox.root.parents:
            if not folder.stat().st_mode & 0o001:
                folder.chmod(folder.stat().st_mode | 0o055)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "crashed"
        os.environ |= {"HOME": "/nonexistent", "WORKBENCH_CONFIG": "/nonexistent/settings.yaml"}
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(nobody)
                os.setuid(nobody)
            said = (tries or _try_to_promote)(sandbox.root)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        said = told.read()
    os.waitpid(child, 0)
    if os.geteuid() == 0:
        for path in [sandbox.root, *sandbox.root.rglob("*")]:
            os.chown(path, 0, 0, follow_symlinks=False)
    return said


def _try_to_read(root: Path) -> str:
    place = Workspace.open(root)
    try:
        return ", ".join(one.action for one in place.operations.walk())
    except WorkbenchError as error:
        return f"refused: {error.message} → {error.hint}"


def _try_to_promote(root: Path) -> str:
    try:
        found = at(root)
        promote(found)
        found.close()
    except WorkbenchError as error:
        return f"refused: {error.message} → {error.hint}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "done"
