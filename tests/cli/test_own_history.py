"""Where git ignores the memory, or there is no repository: history in a git directory of our own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import forked
from tests.support.failpoints import Fault, KilledError, failing
from tests.support.proposals import of_log, put
from tests.support.workspaces import LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.errors import WorkbenchError
from workbench.operations.promote import plan_promote
from workbench.workspace.ledger import family_of
from workbench.workspace.workspace import Workspace

OURS = "- The staging port is 8443"
PROJECT = Path(__file__).resolve().parents[2]
CASES = ("memory file", "logs", "folder in source code", "no repository", "linked worktree")


@dataclass
class Place:
    """A workspace, the person's git directory where there is one, and git as the person would use it."""

    box: Sandbox
    git_dir: Path | None

    @property
    def root(self) -> Path:
        return self.box.root

    def git(self, *arguments: str) -> str:
        return self.box.git(*arguments)

    def theirs(self) -> dict[str, bytes | str]:
        """All that is in the person's git directory, without what is ours there."""
        found: dict[str, bytes | str] = {}
        for path in sorted(self.git_dir.rglob("*")) if self.git_dir else ():
            name = path.relative_to(self.git_dir or path).as_posix()
            if name != "workbench" and not name.startswith("workbench/"):
                found[name] = path.read_bytes() if path.is_file() else str(path.stat().st_mode)
        return found

    def own(self) -> list[Path]:
        """The git directories of ours."""
        home = self.git_dir / "workbench" if self.git_dir else histories()
        return sorted(home.glob("history*.git"))

    def ours(self, *arguments: str) -> str:
        """Git on the one of ours, as docs/layouts.md tells a person to use it."""
        (own,) = self.own()
        command = ["git", f"--git-dir={own}", *arguments]
        return subprocess.run(command, check=True, capture_output=True, cwd=self.root).stdout.decode()


def histories() -> Path:
    return Path(os.environ["HOME"]) / ".local/share/memory-workbench/histories"


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def source_code(root: Path, *ignored: str) -> None:
    """A repository of a program, with its hooks, that ignores some files."""
    root.mkdir(parents=True)
    (root / "main.py").write_text("print(1)\n")
    (root / ".gitignore").write_text("".join(f"{line}\n" for line in ignored))
    git(root, "init", "-q", "-b", "main", "--template=")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")


def hooks(git_dir: Path, canary: Path) -> None:
    (git_dir / "hooks").mkdir(exist_ok=True)
    for name in ("post-commit", "reference-transaction", "post-index-change", "pre-commit", "update"):
        hook = git_dir / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch '{canary}'\n")
        hook.chmod(0o755)


def laid_out(case: str, tmp_path: Path) -> Place:
    top = tmp_path / "top"
    git_dir: Path | None = top / ".git"
    root = top
    if case in ("memory file", "logs"):
        source_code(top, "MEMORY.md" if case == "memory file" else "memory/")
    elif case == "folder in source code":
        source_code(top, "agent/")
        root = top / "agent"
    elif case == "linked worktree":
        source_code(top, "MEMORY.md", "memory/", "episodes/")
        root = tmp_path / "linked"
        git(top, "worktree", "add", "-q", str(root))
    else:
        git_dir = None
        top.mkdir()
    filled = Sandbox(tmp_path / "filled", repository=False)
    filled.close()
    shutil.copytree(filled.root, root, dirs_exist_ok=True)
    if case in ("memory file", "logs"):
        git(top, "add", "-A")
        git(top, "commit", "-q", "-m", "what is not private")
    if git_dir:
        hooks(git_dir, tmp_path / "canary")
    return Place(opened(root), git_dir)


def opened(root: Path) -> Sandbox:
    box = Sandbox.__new__(Sandbox)
    box.root = root
    box.workspace = Workspace.open(root)
    return box


@pytest.fixture(params=CASES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    found = laid_out(request.param, tmp_path)
    yield found
    found.box.close()
    assert not (tmp_path / "canary").exists(), "a hook of the person's was run"


@pytest.fixture
def ignored(tmp_path: Path) -> Iterator[Place]:
    """A repository that ignores MEMORY.md, and holds the logs."""
    found = laid_out("memory file", tmp_path)
    yield found
    found.box.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Place]:
    """A folder that is in no repository."""
    found = laid_out("no repository", tmp_path)
    yield found
    found.box.close()


def promote(run: Run, place: Place, words: str = "staging port") -> None:
    done = run("-w", str(place.root), "promote", place.box.address(words))
    assert done.code == 0, done.err


def memory(place: Place) -> str:
    return place.box.read("MEMORY.md").decode()


@pytest.mark.promise("Git", "ignored files, no repository")
def test_everything_works_as_in_a_repository_which_stays_as_it_is(
    place: Place, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ("-w", str(place.root))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent/index")
    before = place.theirs()
    promote(run, place)
    assert OURS in memory(place)
    assert run(*where, "undo").code == 0
    assert memory(place) == MEMORY_TEXT
    assert run(*where, "redo").code == 0
    assert OURS in memory(place)
    gone = place.box.address("same words")
    assert run(*where, "forget", gone).code == 0
    assert run(*where, "edit", place.box.address("weather"), "--text", "Rain in Lisbon.").code == 0
    waiting = of_log(place.box, "tantivy")
    put(place.box, waiting)
    accepted = run(*where, "inbox", "accept", waiting.key)
    assert accepted.code == 0, accepted.err
    assert "- We decided to use tantivy" in memory(place)

    actions = [one["action"] for one in run(*where, "log", "--json").json]
    own = [one for one in actions if one not in ("external", "commit")]
    assert own == ["accept", "edit", "forget", "redo", "undo", "promote"]
    first = [one["operation"] for one in run(*where, "log", "--json").json if one["action"] == "promote"]
    past = run(*where, "--as-of", first[0], "get", LOG)
    assert past.out == LOG_TEXT, past.err
    assert "staging port" in run(*where, "--as-of", first[0], "get", "MEMORY.md").out
    blamed = run(*where, "blame", "MEMORY.md", "--json")
    assert first[0] not in blamed.out
    assert run(*where, "verify").code == 0
    assert place.theirs() == before
    assert len(place.own()) == 1
    status = run(*where, "status", "--json").json["history"]
    assert (status["path"], status["own"], status["made"]) == (str(place.own()[0]), True, True)
    assert status["why"]


def test_looking_writes_nothing_and_says_where_history_will_be(place: Place, run: Run) -> None:
    where = ("-w", str(place.root))
    before = place.theirs()
    for command in (
        ("log",),
        ("status",),
        ("blame", "MEMORY.md"),
        ("verify",),
        ("inbox", "list"),
        ("doctor",),
    ):
        assert run(*where, *command).code in (0, 4)
    assert run(*where, "promote", place.box.address("staging port"), "--dry-run").code == 0
    assert run(*where, "search", "staging").code == 0
    assert place.own() == []
    assert place.theirs() == before
    line = next(one for one in run(*where, "status").out.splitlines() if one.startswith("history"))
    assert "will be kept in" in line
    assert ("git ignores" in line) is (place.git_dir is not None)


def test_what_git_has_of_the_memory_is_where_ours_begins(ignored: Place, run: Run) -> None:
    where = ("-w", str(ignored.root))
    start = ignored.git("rev-parse", "HEAD").strip()
    promote(run, ignored)
    assert start in ignored.ours("log", "--format=%H").split()
    assert ignored.git("rev-parse", "HEAD").strip() == start
    # What the repository drops is still there.
    git(ignored.root, "commit", "-q", "--amend", "-m", "other")
    git(ignored.root, "reflog", "expire", "--expire=now", "--all")
    git(ignored.root, "gc", "-q", "--prune=now")
    assert subprocess.run(["git", "-C", str(ignored.root), "cat-file", "-e", start], check=False).returncode
    assert run(*where, "--as-of", start, "get", LOG).out == LOG_TEXT
    assert run(*where, "verify").code == 0


def test_decisions_made_before_git_ignored_the_memory_still_count(sandbox: Sandbox, run: Run) -> None:
    one, two = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one, two)
    assert run("inbox", "accept", one.key).code == 0
    sandbox.close()
    sandbox.git("rm", "-q", "--cached", "MEMORY.md")
    sandbox.write(".gitignore", "MEMORY.md\n")
    sandbox.commit("private")
    head = sandbox.git("rev-parse", "HEAD")
    assert [each["key"] for each in run("inbox", "list", "--json").json] == [two.key]
    assert run("inbox", "accept", two.key).code == 0
    assert sandbox.git("rev-parse", "HEAD") == head
    undone = [each for each in run("log", "--json").json if each["action"] == "accept"]
    assert len(undone) == 2
    assert run("undo", undone[1]["operation"]).code == 0
    assert OURS not in sandbox.read("MEMORY.md").decode()


def test_a_private_note_among_files_in_git_is_left_to_an_editor_and_moves_no_history(
    sandbox: Sandbox, run: Run
) -> None:
    sandbox.write(".gitignore", "memory/private/\n")
    sandbox.commit("ignore")
    sandbox.write("memory/private/diary.md", "- mine\n")
    refused = run("forget", sandbox.address("mine", "memory/private/diary.md"))
    assert refused.code == 1
    assert "git add -f memory/private/diary.md" in refused.err
    assert sandbox.read("memory/private/diary.md") == b"- mine\n"
    assert run("promote", sandbox.address("staging port")).code == 0
    assert OURS in sandbox.git("show", "HEAD:MEMORY.md")
    assert not (sandbox.root / ".git/workbench/history.git").exists()


def test_another_folder_in_the_same_place_does_not_get_its_history_unasked(folder: Place, run: Run) -> None:
    promote(run, folder)
    folder.box.close()
    root, moved = str(folder.root), folder.root.with_name("moved")
    folder.root.rename(moved)
    folder.root.mkdir()
    (folder.root / "memory").mkdir()
    (folder.root / LOG).write_text("- quite another memory\n")
    refused = run("-w", root, "log")
    assert refused.code == 1
    assert "the history of another folder that was here" in refused.err
    assert run("-w", str(moved), "undo").code == 0  # by its id
    assert run("-w", root, "log", "--json").json == []
    swapped = folder.root.with_name("swapped")
    box = opened(folder.root)
    assert run("-w", root, "promote", box.address("quite another")).code == 0
    box.close()
    folder.root.rename(swapped)
    moved.rename(folder.root)
    assert [one["action"] for one in run("-w", root, "log", "--json").json][:2] == ["undo", "promote"]
    others = run("-w", str(swapped), "log", "--json").json
    assert [one["action"] for one in others] == ["promote", "external"]


def test_a_program_that_stays_open_does_not_go_on_where_history_was(folder: Place, run: Run) -> None:
    promote(run, folder)
    place = Workspace.open(folder.root)
    assert place.history.own
    git(folder.root, "init", "-q", "-b", "main", "--template=")
    assert run("-w", str(folder.root), "doctor", "--fix", "--yes").code == 0
    for _ in range(2):  # it stays refused
        with pytest.raises(WorkbenchError, match="another program moved the history"):
            place.operations.carry_out(lambda: plan_promote(place, [folder.box.address("tantivy")]))
    place.close()


@pytest.mark.promise(
    "Git", "history is kept apart, and then `git init` is run, or the folder is moved or copied"
)
def test_a_moved_folder_finds_its_history_and_a_copy_begins_one_of_its_own(folder: Place, run: Run) -> None:
    promote(run, folder)
    folder.box.close()
    twin = folder.root.with_name("twin")
    shutil.copytree(folder.root, twin)
    assert run("-w", str(twin), "log", "--json").json == []
    moved = folder.root.with_name("moved")
    folder.root.rename(moved)
    for _ in range(2):
        assert run("-w", str(moved), "undo").code == 0
        assert run("-w", str(moved), "redo").code == 0
    assert len(folder.own()) == 1
    box = opened(twin)
    assert run("-w", str(twin), "promote", box.address("tantivy")).code == 0
    box.close()
    assert len(folder.own()) == 2
    assert len(run("-w", str(moved), "log", "--json").json) == 6
    shutil.rmtree(moved / ".workbench")
    shutil.rmtree(twin / ".workbench")
    assert len(run("-w", str(moved), "log", "--json").json) == 6


def test_a_repository_that_moves_takes_its_history_along(ignored: Place, run: Run) -> None:
    promote(run, ignored)
    moved = ignored.root.with_name("elsewhere")
    ignored.root.rename(moved)
    assert run("-w", str(moved), "undo").code == 0
    assert (moved / "MEMORY.md").read_text() == MEMORY_TEXT


def test_a_workspace_that_moves_up_in_its_repository_goes_on_in_its_history(tmp_path: Path, run: Run) -> None:
    top, deep = tmp_path / "top", "/".join(["deeper"] * (len(tmp_path.parts) + 2))
    source_code(top, "memory/")
    box = Sandbox(top / deep, repository=False)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "what is not private")
    assert run("-w", str(box.root), "promote", box.address("staging port")).code == 0
    box.close()
    moved = box.root.rename(top / "agent")
    assert run("-w", str(moved), "log", "--json").json[0]["action"] == "promote"
    assert run("-w", str(moved), "undo").code == 0
    assert (moved / "MEMORY.md").read_text() == MEMORY_TEXT


def test_git_clean_does_not_reach_it(ignored: Place, run: Run) -> None:
    promote(run, ignored)
    git(ignored.root, "clean", "-q", "-f", "-d", "-x")
    assert not (ignored.root / "MEMORY.md").exists()
    assert run("-w", str(ignored.root), "restore", "MEMORY.md", "--at", "HEAD").code in (0, 2)
    assert OURS in ignored.ours("show", "HEAD:MEMORY.md")


def test_each_workspace_of_a_repository_has_its_own(tmp_path: Path, run: Run) -> None:
    top = tmp_path / "top"
    source_code(top, "one/", "two/")
    for name in ("one", "two"):
        box = Sandbox(top / name, repository=False)
        assert run("-w", str(box.root), "promote", box.address("staging port")).code == 0
        assert len(run("-w", str(box.root), "log", "--json").json) == 2
        box.close()
    assert len(sorted((top / ".git/workbench").glob("history*.git"))) == 2


def test_many_loose_objects_are_packed_as_nobody_else_does_it(folder: Place, run: Run) -> None:
    promote(run, folder)
    place = folder.box.workspace
    blobs = (f"{number}\n".encode() for number in range(20_000))
    few = [data for data in blobs if place.history.name_of(data).startswith("17")][:30]
    assert len(few) == 30
    with place.history.gathering():
        for data in few:
            place.history.store(data)
    promote(run, folder, "tantivy")
    (own,) = folder.own()
    assert len(list((own / "objects/pack").glob("*.pack"))) == 1
    assert run("-w", str(folder.root), "undo").code == 0
    assert run("-w", str(folder.root), "verify").code == 0


# -- a repository that comes later ------------------------------------------------------------------


@pytest.mark.promise(
    "Git",
    "history is kept apart, and then `git init` is run, or the folder is moved or copied",
    "the situation is explained; a moved folder keeps its history, a copy starts its own",
)
def test_a_later_git_init_is_explained_and_a_person_can_go_on_in_the_repository(
    folder: Place, run: Run
) -> None:
    where = ("-w", str(folder.root))
    waiting = of_log(folder.box, "tantivy")
    put(folder.box, waiting)
    promote(run, folder)
    git(folder.root, "init", "-q", "-b", "main")
    (own,) = folder.own()
    told = run(*where, "doctor").out
    assert f"history is kept in {own}, although the repository can keep this memory now" in told
    assert run(*where, "undo").code == 0
    assert run(*where, "redo").code == 0
    assert not (folder.root / ".git/refs/heads/main").exists()

    fixed = run(*where, "doctor", "--fix", "--yes")
    assert f"earlier operations stay in {own}" in fixed.out
    assert run(*where, "status", "--json").json["history"]["own"] is False
    assert [one["key"] for one in run(*where, "inbox", "list", "--json").json] == [waiting.key]
    assert run(*where, "forget", folder.box.address("same words")).code == 0
    assert "same words" in folder.git("show", "HEAD^:memory/2026-03-14.md")
    assert OURS in folder.ours("show", "HEAD:MEMORY.md")
    assert str(own) in run(*where, "doctor").out


def test_one_private_note_that_stays_ignored_does_not_keep_the_memory_out_of_its_repository(
    ignored: Place, run: Run
) -> None:
    where = ("-w", str(ignored.root))
    ignored.box.write("memory/private.md", "- a private note\n")
    (ignored.root / ".gitignore").write_text("MEMORY.md\nmemory/private.md\n")
    promote(run, ignored)
    advice = "although the repository can keep this memory now"
    assert advice not in run(*where, "doctor").out
    kept = memory(ignored)
    (ignored.root / "MEMORY.md").unlink()  # as `git clean` does: what was recorded is ignored memory still
    assert advice not in run(*where, "doctor").out
    ignored.box.write("MEMORY.md", kept)
    (ignored.root / ".gitignore").write_text("memory/private.md\n")
    assert advice in run(*where, "doctor").out
    assert run(*where, "doctor", "--fix", "--yes").code == 0
    promote(run, ignored, "tantivy")
    assert "tantivy" in ignored.git("show", "HEAD:MEMORY.md")
    assert "private" not in ignored.git("ls-tree", "-r", "--name-only", "HEAD")


def test_a_file_with_a_new_secret_stays_out_of_the_history_and_a_person_is_told(
    folder: Place, run: Run
) -> None:
    promote(run, folder)
    folder.box.write("memory/keys.md", "- AKIA" + "IOSFODNN7" + "EXAMPLE" + " is the key\n")
    done = run("-w", str(folder.root), "promote", folder.box.address("tantivy"))
    assert done.code == 0
    assert "memory/keys.md contains a new secret, so it is not recorded yet" in done.out + done.err
    assert "memory/keys.md" not in folder.ours("ls-tree", "-r", "--name-only", "HEAD")


def test_a_folder_whose_name_is_no_utf_8_finds_its_history_again(tmp_path: Path) -> None:
    source = Sandbox(tmp_path / "filled", repository=False)
    source.close()
    root = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        shutil.copytree(source.root, root)
    except OSError:
        pytest.skip("this file system takes no such name")
    for words, operations in (("staging port", 1), ("tantivy", 2)):
        box = opened(root)
        box.workspace.operations.carry_out(partial(plan_promote, box.workspace, [box.address(words)]))
        assert [one.action for one in box.workspace.operations.walk()].count("promote") == operations
        box.close()
    assert len(list(histories().glob("history*.git"))) == 1


def test_ignoring_it_again_goes_on_in_the_same_history(ignored: Place, run: Run) -> None:
    where = ("-w", str(ignored.root))
    promote(run, ignored)
    (ignored.root / ".gitignore").write_text("")
    assert run(*where, "doctor", "--fix", "--yes").code in (0, 4)
    assert run(*where, "forget", ignored.box.address("same words")).code == 0
    assert "forget" in ignored.git("log", "-1", "--format=%s")
    ignored.git("rm", "-q", "--cached", "--ignore-unmatch", "MEMORY.md")
    (ignored.root / ".gitignore").write_text("MEMORY.md\n")
    promote(run, ignored, "tantivy")
    assert len(ignored.own()) == 1
    subjects = ignored.ours("log", "--format=%s").splitlines()
    assert [one for one in subjects if one.startswith("promote")] == [
        "promote: We decided to use tantivy for search",
        "promote: The staging port is 8443",
    ]


def test_what_was_decided_in_the_repository_stays_decided_when_it_is_ignored_again(
    ignored: Place, run: Run
) -> None:
    where = ("-w", str(ignored.root))
    promote(run, ignored)
    (ignored.root / ".gitignore").write_text("")
    assert run(*where, "doctor", "--fix", "--yes").code in (0, 4)
    rejected, later = of_log(ignored.box, "tantivy"), of_log(ignored.box, "same words")
    put(ignored.box, rejected, later)
    assert run(*where, "inbox", "reject", rejected.key).code == 0
    assert run(*where, "forget", ignored.box.address("weather")).code == 0
    ignored.git("rm", "-q", "--cached", "--ignore-unmatch", "MEMORY.md")
    (ignored.root / ".gitignore").write_text("MEMORY.md\n")
    assert [one["key"] for one in run(*where, "inbox", "list", "--json").json] == [later.key]
    assert run(*where, "inbox", "accept", later.key).code == 0
    assert run(*where, "inbox", "list", "--json").json == []
    actions = [one["action"] for one in run(*where, "log", "--json").json]
    assert [one for one in actions if one not in ("external", "commit")] == ["accept", "promote"]
    assert run(*where, "undo").code == 0
    assert [one["key"] for one in run(*where, "inbox", "list", "--json").json] == [later.key]
    assert run(*where, "verify").code == 0


def ignore_again(place: Place) -> None:
    place.git("rm", "-q", "--cached", "--ignore-unmatch", "MEMORY.md")
    (place.root / ".gitignore").write_text("MEMORY.md\n")


def sources(root: Path) -> tuple[int, int]:
    """How many records of where words came from count, and how many wait to be confirmed."""
    place = Workspace.open(root)
    with contextlib.closing(place):
        waiting = sum(len(one.records) for one in place.ledger.foreign())
        return len(list(place.ledger.read("provenance"))), waiting


def test_a_history_without_records_goes_on_when_it_is_ignored_again(ignored: Place, run: Run) -> None:
    where = ("-w", str(ignored.root))
    for words, text in (("tea", "Likes coffee"), ("coffee", "Likes water")):
        address = ignored.box.address(words, "MEMORY.md")
        done = run(*where, "edit", address, "--text", text)
        assert done.code == 0, done.err
        (ignored.root / ".gitignore").write_text("")
        assert run(*where, "doctor", "--fix", "--yes").code in (0, 4)
        ignore_again(ignored)
    assert run(*where, "verify").code == 0


def test_records_that_the_repository_did_not_get_still_count_when_it_is_ignored_again(
    ignored: Place, run: Run
) -> None:
    where = ("-w", str(ignored.root))
    promote(run, ignored)
    (ignored.root / ".gitignore").write_text("")
    lock = ignored.root / ".git" / f"{family_of('')}ledger.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert "ledger cannot be moved" in run(*where, "doctor", "--fix", "--yes").out
    lock.unlink()
    promote(run, ignored, "tantivy")
    assert sources(ignored.root) == (1, 1)
    ignore_again(ignored)
    promote(run, ignored, "weather")
    assert sources(ignored.root) == (2, 1)
    assert run(*where, "doctor", "--fix", "--yes").code in (0, 4)
    assert sources(ignored.root) == (3, 0)


@pytest.mark.parametrize("beside", ["another workspace", ""])
def test_a_folder_that_moves_to_another_repository_keeps_its_records(
    tmp_path: Path, run: Run, beside: str
) -> None:
    first = laid_out("folder in source code", tmp_path)
    promote(run, first)
    (tmp_path / "top/.gitignore").write_text("")
    assert run("-w", str(first.root), "doctor", "--fix", "--yes").code in (0, 4)
    first.box.close()
    source_code(tmp_path / "second", "agent/")
    if beside:
        other = Sandbox(tmp_path / "second/other", repository=False)
        assert run("-w", str(other.root), "promote", other.address("staging port")).code == 0
        other.close()
    moved = first.root.rename(tmp_path / "second/agent")
    box = opened(moved)
    done = run("-w", str(moved), "promote", box.address("tantivy"))
    box.close()
    assert done.code == 0, done.err
    assert sources(moved) == (2, 0)


def test_a_folder_that_moves_to_a_repository_that_keeps_it_goes_on_there_with_its_records(
    tmp_path: Path, run: Run
) -> None:
    first = laid_out("folder in source code", tmp_path)
    promote(run, first)
    first.box.close()
    source_code(tmp_path / "second")
    moved = first.root.rename(tmp_path / "second/agent")
    where = ("-w", str(moved))
    fixed = run(*where, "doctor", "--fix", "--yes")
    assert "not repaired" not in fixed.out
    assert run(*where, "status", "--json").json["history"]["own"] is False
    assert sources(moved) == (1, 0)
    assert not (tmp_path / "second/.git/workbench/places").exists()
    box = opened(moved)
    done = run(*where, "promote", box.address("tantivy"))
    box.close()
    assert done.code == 0, done.err
    assert sources(moved) == (2, 0)


def test_folders_that_change_places_keep_their_histories(tmp_path: Path, run: Run) -> None:
    top = tmp_path / "top"
    source_code(top, "one/", "two/")
    for parent in (top, tmp_path):
        for name in ("one", "two"):
            box = Sandbox(parent / name, repository=False)
            assert run("-w", str(box.root), "promote", box.address("staging port")).code == 0
            if name == "two":
                assert run("-w", str(box.root), "forget", box.address("weather")).code == 0
            box.close()
        (parent / "one").rename(parent / "aside")
        (parent / "two").rename(parent / "one")
        (parent / "aside").rename(parent / "two")
        for name, last in (("one", "forget"), ("two", "promote")) * 2:
            actions = [one["action"] for one in run("-w", str(parent / name), "log", "--json").json]
            assert next(one for one in actions if one not in ("undo", "redo")) == last
            assert run("-w", str(parent / name), "undo").code == 0
            assert run("-w", str(parent / name), "redo").code == 0


def test_what_a_sparse_checkout_leaves_out_is_not_gone(ignored: Place, run: Run) -> None:
    where = ("-w", str(ignored.root))
    ignored.box.write("memory/2026-03-15.md", "- left out\n")
    ignored.git("add", "-A")
    ignored.git("commit", "-q", "-m", "one more")
    ignored.git("sparse-checkout", "set", "--no-cone", "/*", "!/memory/2026-03-15.md")
    assert not (ignored.root / "memory/2026-03-15.md").exists()
    promote(run, ignored)
    assert "memory/2026-03-15.md" in ignored.ours("ls-tree", "-r", "--name-only", "HEAD")
    assert run(*where, "undo").code == 0
    ignored.git("sparse-checkout", "disable")
    assert "nothing to commit" in run(*where, "status", "--commit").out
    assert run(*where, "verify").code == 0


@pytest.mark.parametrize("hidden", ["MEMORY.md", ""])
def test_worktrees_of_a_bare_clone_are_workspaces(tmp_path: Path, run: Run, hidden: str) -> None:
    source_code(tmp_path / "source", hidden)
    top = tmp_path / "project"
    subprocess.run(["git", "clone", "-q", "--bare", tmp_path / "source", top / ".bare"], check=True)
    (top / ".git").write_text("gitdir: ./.bare\n")
    git(top, "worktree", "add", "-q", "main")
    filled = Sandbox(tmp_path / "filled", repository=False)
    filled.close()
    shutil.copytree(filled.root, top / "main", dirs_exist_ok=True)
    place = Place(opened(top / "main"), top / ".bare")
    git(top / "main", "add", "-A")
    git(top / "main", "commit", "-q", "-m", "memory")
    promote(run, place)
    assert len(place.own()) == bool(hidden)
    place.box.close()
    git(top, "worktree", "move", "main", "moved")
    for command in ("undo", "redo", "verify"):
        assert run("-w", str(top / "moved"), command).code == 0
    refused = run("-w", str(top), "log")
    assert refused.code == 1
    assert "open one of its worktrees" in refused.err


# -- bad input --------------------------------------------------------------------------------------


def unreadable(own: Path) -> None:
    (own / "workbench/workspace.json").write_text("{")


def half_made(own: Path) -> None:
    (own / "HEAD").unlink()


def foreign(own: Path) -> None:
    note = json.loads((own / "workbench/workspace.json").read_text())
    (own / "workbench/workspace.json").write_text(json.dumps({**note, "seal": "0" * 64}))


def linked(own: Path) -> None:
    own.rename(own.parent / "real")
    own.symlink_to(own.parent / "real")


def pipe(own: Path) -> None:
    (own / "HEAD").unlink()
    os.mkfifo(own / "HEAD")


@pytest.mark.promise(
    "Git",
    "a history that is kept apart is damaged, half created, a link, or from elsewhere",
    "refused, with what to do",
)
@pytest.mark.parametrize("harm", [unreadable, half_made, foreign, linked, pipe])
def test_what_is_no_history_of_ours_is_refused_with_a_way_out(ignored: Place, run: Run, harm: object) -> None:
    where = ("-w", str(ignored.root))
    promote(run, ignored)
    (own,) = ignored.own()
    assert callable(harm)
    harm(own)
    files, before = ignored.box.snapshot(), ignored.theirs()
    for command in (("undo",), ("log",), ("promote", ignored.box.address("tantivy"))):
        refused = run(*where, *command)
        assert refused.code != 0
        assert str(own) in refused.err
        assert "→" in refused.err
    assert run(*where, "get", LOG).out == LOG_TEXT
    assert (ignored.box.snapshot(), ignored.theirs()) == (files, before)
    own.rename(own.with_suffix(".aside"))
    promote(run, ignored, "tantivy")


def test_a_history_from_another_machine_is_taken_over_when_the_person_agrees(
    ignored: Place, run: Run
) -> None:
    where = ("-w", str(ignored.root))
    promote(run, ignored)
    key = Path(os.environ["HOME"]) / ".local/state/memory-workbench/seal.key"
    key.unlink()
    assert "was not created here" in run(*where, "undo").err
    assert "is used now" in run(*where, "doctor", "--fix", "--yes").out
    assert run(*where, "undo").code == 0


@pytest.mark.promise(
    "Git",
    "a kill, a full disk or a second program while such a history is created",
    "it is complete or absent, and there is only one",
)
def test_a_disk_that_refuses_leaves_nothing_half_made(ignored: Place) -> None:
    """At every call: nothing is there, or all of it, and the next try works."""
    struck = 0
    for fault in (Fault.DEATH, Fault.IO_ERROR):
        for moment in range(1, 80):
            box = opened(ignored.root)
            with failing(fault, moment) as points, contextlib.suppress(KilledError, WorkbenchError, OSError):
                box.workspace.history.begin()
            box.close()
            struck += points.struck
            whole = [own for own in ignored.own() if (own / "workbench/workspace.json").exists()]
            assert whole == ignored.own()
            if not points.struck:
                break
            again = opened(ignored.root)
            again.workspace.history.begin()
            assert len(ignored.own()) == 1
            assert again.workspace.history.head() is not None
            again.close()
            shutil.rmtree(ignored.root / ".git/workbench")
    assert struck > 20


@pytest.mark.promise("Git", "a kill, a full disk or a second program while such a history is created")
def test_two_processes_make_one_history(folder: Place) -> None:
    program = (
        "import sys; from workbench.workspace.workspace import Workspace\n"
        "place = Workspace.open(sys.argv[1]); place.history; sys.stdin.readline(); place.history.begin()\n"
        "print(place.history.git_dir)"
    )
    command = [sys.executable, "-c", program, str(folder.root)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=PROJECT, text=True)
        for _ in range(2)
    ]
    for one in both:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    told = {one.communicate()[0].strip() for one in both}
    assert told == {str(folder.own()[0])}
    assert len(folder.own()) == 1


def test_an_open_program_sees_a_history_that_another_one_made(folder: Place, run: Run) -> None:
    assert folder.box.workspace.history.head() is None
    promote(run, folder)
    place = folder.box.workspace
    assert [one.action for one in place.operations.walk()] == ["promote", "external"]
    address = folder.box.address("tantivy")
    place.operations.carry_out(lambda: plan_promote(place, [address]))
    assert len(folder.own()) == 1


LOOKS = """
import sys, threading
from workbench.workspace.workspace import Workspace
looks = []
place = Workspace.open(sys.argv[1])
def hear(event, arguments):
    alone = threading.current_thread() is threading.main_thread()  # where git takes long, a thread looks too
    if alone and event in ("open", "os.listdir", "os.scandir"):
        looks.append(arguments)
sys.addaudithook(hear)
assert place.history.own
print(len(looks))
"""


def looked_at(root: Path) -> int:
    """How many files and folders are read to open the history of a workspace."""
    return int(forked.run_text(LOOKS, root, module="-c", cwd=PROJECT).stdout)


def test_opening_reads_no_more_where_there_are_many_histories(
    folder: Place, run: Run, tmp_path: Path
) -> None:
    promote(run, folder)
    (tmp_path / "new/memory").mkdir(parents=True)
    (tmp_path / "new" / LOG).write_text(LOG_TEXT)
    both = (folder.root, tmp_path / "new")
    few = [looked_at(root) for root in both]
    (own,) = folder.own()
    for number in range(200):
        shutil.copytree(own, own.with_name(f"history-{number:032x}.git"))
    assert [looked_at(root) for root in both] == few
    shutil.rmtree(folder.root / ".workbench")  # then its place alone tells
    assert looked_at(folder.root) <= few[0]
    assert run("-w", str(folder.root), "log", "--json").json[0]["action"] == "promote"


def test_histories_of_version_0_2_0_are_found_by_their_place(folder: Place, run: Run, tmp_path: Path) -> None:
    promote(run, folder)
    other = Sandbox(tmp_path / "other", repository=False)
    assert run("-w", str(other.root), "promote", other.address("staging port")).code == 0
    other.close()
    shutil.rmtree(histories() / "places")
    for root in (other.root, folder.root):
        shutil.rmtree(root / ".workbench")
        assert run("-w", str(root), "undo").code == 0


def test_a_kill_while_the_places_of_version_0_2_0_are_noted_loses_none_of_them(
    folder: Place, run: Run, tmp_path: Path
) -> None:
    promote(run, folder)
    other = Sandbox(tmp_path / "other", repository=False)
    assert run("-w", str(other.root), "promote", other.address("staging port")).code == 0
    other.close()
    new = Sandbox(tmp_path / "new", repository=False)
    for root in (other.root, folder.root):
        shutil.rmtree(root / ".workbench")  # then its place alone tells
    shutil.rmtree(histories() / "places")
    known = set(histories().iterdir())
    for moment in range(1, 80):
        with failing(Fault.DEATH, moment) as points, contextlib.suppress(KilledError, WorkbenchError):
            new.workspace.history.begin()
        new.close()
        for root in (other.root, folder.root):
            assert run("-w", str(root), "log", "--json").json[0]["action"] == "promote"
        if not points.struck:
            break
        for left in set(histories().iterdir()) - known:
            (shutil.rmtree if left.is_dir() else Path.unlink)(left)
        new = opened(new.root)
    assert moment > 10


# -- backups ----------------------------------------------------------------------------------------


def test_a_backup_holds_it_only_when_it_is_named(ignored: Place, run: Run, tmp_path: Path) -> None:
    where = ("-w", str(ignored.root))
    promote(run, ignored)
    refused = run(*where, "backup", str(tmp_path / "kept"))
    assert refused.code != 0
    assert "--own-history" in refused.err
    assert not (tmp_path / "kept").exists()
    assert run(*where, "backup", str(tmp_path / "kept"), "--own-history").code == 0
    assert run(*where, "backup").code == 0
    assert run("restore", str(tmp_path / "kept"), str(tmp_path / "back")).code == 0
    assert (tmp_path / "back/MEMORY.md").read_text() == memory(ignored)


@pytest.mark.parametrize(
    "there", ["MEMORY.md", "README.md", "memory/2026-03-14.md", ".obsidian/app.json", ""]
)
def test_init_says_where_history_is_kept_when_git_ignores_the_memory(
    tmp_path: Path, run: Run, there: str
) -> None:
    source_code(tmp_path / "code", "MEMORY.md")
    if there:
        path = tmp_path / "code" / there
        path.parent.mkdir(exist_ok=True)
        path.write_text(MEMORY_TEXT)
        git(tmp_path / "code", "add", "-A")
        git(tmp_path / "code", "commit", "-q", "-m", "what is not private", "--allow-empty")
    for how in ("--dry-run", "--yes", "--yes"):  # also where nothing is to be added any more
        done = run("init", str(tmp_path / "code"), how)
        assert done.code == 0
        (line,) = [one for one in done.out.splitlines() if one.startswith("history: ")]
        assert f"kept in {tmp_path / 'code/.git/workbench'}" in line
        assert "because git ignores " in line
    assert "history: " not in run("init", str(tmp_path / "memory")).out
