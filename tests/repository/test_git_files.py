"""Files that git treats in some way of its own: what the person told git is kept, and nothing is reverted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, LOG, MEMORY_TEXT, Sandbox
from workbench.errors import RepositoryStateError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation, Plan

OURS = "The staging port is 8443"


def promote(sandbox: Sandbox, words: str = "staging port") -> Operation:
    place = sandbox.workspace
    address = sandbox.address(words)
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


def require_refused(sandbox: Sandbox, match: str) -> None:
    """The action is refused with a hint, and nothing at all has changed."""
    before = sandbox.snapshot(), sandbox.git("status", "--porcelain=v2", "--branch")
    with pytest.raises(RepositoryStateError, match=match) as refused:
        promote(sandbox)
    assert refused.value.hint
    assert (sandbox.snapshot(), sandbox.git("status", "--porcelain=v2", "--branch")) == before


def require_ours_stays(sandbox: Sandbox) -> None:
    """The person's next plain commits, of what is staged and of everything, keep what we did."""
    sandbox.git("commit", "-q", "--allow-empty", "-m", "theirs")
    assert OURS in sandbox.git("show", "HEAD:MEMORY.md")
    sandbox.git("commit", "-q", "--allow-empty", "-a", "-m", "all of theirs")
    assert OURS in sandbox.git("show", "HEAD:MEMORY.md")
    assert OURS.encode() in sandbox.read("MEMORY.md")


def marks(sandbox: Sandbox) -> str:
    return sandbox.git("ls-files", "-v", "MEMORY.md")[0]


@pytest.mark.parametrize(
    ("options", "mark"),
    [
        (["--assume-unchanged"], "h"),
        (["--skip-worktree"], "S"),
        (["--assume-unchanged", "--skip-worktree"], "s"),
    ],
)
def test_marks_of_the_person_on_an_index_entry_outlive_an_action_and_its_undo(
    sandbox: Sandbox, options: list[str], mark: str
) -> None:
    for option in options:
        sandbox.git("update-index", option, "MEMORY.md")
    assert marks(sandbox) == mark
    promote(sandbox)
    assert marks(sandbox) == mark
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))
    assert marks(sandbox) == mark
    place.operations.carry_out(lambda: plan_redo(place))
    require_ours_stays(sandbox)


def test_a_skipped_file_that_is_there_is_curated_and_one_that_is_not_is_refused(sandbox: Sandbox) -> None:
    sandbox.git("update-index", "--skip-worktree", "MEMORY.md")
    text = sandbox.read("MEMORY.md")
    (sandbox.root / "MEMORY.md").unlink()
    require_refused(sandbox, "sparse")
    sandbox.write("MEMORY.md", text)
    promote(sandbox)
    require_ours_stays(sandbox)


@pytest.mark.promise("Git", "other text is staged for the same file", "refused")
@pytest.mark.parametrize("staged", ["another text", "removed", "another text, then edited back"])
def test_other_text_staged_for_the_very_file_is_neither_lost_nor_set_in_the_place_of_ours(
    sandbox: Sandbox, staged: str
) -> None:
    if staged == "removed":
        sandbox.git("rm", "-q", "--cached", "MEMORY.md")
    else:
        sandbox.write("MEMORY.md", MEMORY_TEXT + "- staged\n")
        sandbox.git("add", "MEMORY.md")
        more = "" if "back" in staged else "- staged\n- not staged\n"
        sandbox.write("MEMORY.md", MEMORY_TEXT + more)
    index = (sandbox.root / ".git/index").read_bytes()
    require_refused(sandbox, "is staged as deleted" if staged == "removed" else "staged changes")
    assert (sandbox.root / ".git/index").read_bytes() == index


def test_a_file_staged_as_it_is_becomes_an_external_commit_before_ours(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- staged\n")
    sandbox.git("add", "MEMORY.md")
    promote(sandbox)
    assert "- staged" in sandbox.git("show", "HEAD~1:MEMORY.md")
    assert sandbox.git("status", "--porcelain") == ""
    require_ours_stays(sandbox)


def test_a_new_file_announced_with_intent_to_add_is_committed_and_stays(sandbox: Sandbox) -> None:
    sandbox.write("memory/new.md", "- one\n- two\n")
    sandbox.git("add", "-N", "memory/new.md")
    place = sandbox.workspace
    address = sandbox.address("one", "memory/new.md")
    place.operations.carry_out(lambda: plan_forget(place, [address]))
    assert sandbox.git("status", "--porcelain") == ""
    sandbox.git("commit", "-q", "--allow-empty", "-m", "theirs")
    assert sandbox.git("show", "HEAD:memory/new.md") == "- two\n"


@pytest.mark.promise("Git", "a stale `index.lock`")
def test_after_a_stale_index_lock_the_next_action_brings_the_index_up_to_date(sandbox: Sandbox) -> None:
    lock = sandbox.root / ".git/index.lock"
    lock.touch()
    promote(sandbox, "async reviews")
    promote(sandbox, "tantivy")
    lock.unlink()
    promote(sandbox)
    assert sandbox.git("status", "--porcelain") == ""
    require_ours_stays(sandbox)


@pytest.mark.promise("Git", "staged changes, a stash")
def test_other_staged_work_and_the_stash_stay_byte_for_byte(sandbox: Sandbox) -> None:
    sandbox.write("stashed.txt", "stashed\n")
    sandbox.git("stash", "push", "-q", "-u")
    sandbox.write("binary.bin", b"\0\1\2")
    sandbox.write(LOG, sandbox.read(LOG) + b"- staged in a log\n")
    sandbox.git("add", "-A")
    sandbox.write(LOG, sandbox.read(LOG) + b"- not staged\n")

    def theirs() -> tuple[str, ...]:
        return (
            sandbox.git("diff", "--cached", "--binary"),
            sandbox.git("diff", "--binary"),
            sandbox.git("stash", "list"),
            sandbox.git("stash", "show", "-p", "--include-untracked"),
            sandbox.git("status", "--porcelain=v2"),
        )

    before = theirs()
    promote(sandbox)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))
    place.operations.carry_out(lambda: plan_redo(place))
    assert theirs() == before
    require_ours_stays(sandbox)


@pytest.mark.promise(
    "Git",
    "ignored files, no repository",
    "all actions work; history is kept apart, and the repository stays as it is",
)
@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude", "global"])
def test_a_file_that_git_ignores_is_never_put_into_their_history(
    sandbox: Sandbox, person: Path, where: str
) -> None:
    sandbox.git("rm", "-q", "--cached", "MEMORY.md")
    if where == "global":
        (person / "ignore").write_text("MEMORY.md\n")
        sandbox.git("config", "--global", "core.excludesFile", str(person / "ignore"))
    else:
        sandbox.write(where, "MEMORY.md\n")
    sandbox.git("commit", "-q", "-m", "private")
    head = sandbox.git("rev-parse", "HEAD")
    promote(sandbox)
    assert OURS in sandbox.read("MEMORY.md").decode()
    assert sandbox.git("rev-parse", "HEAD") == head
    assert OURS not in sandbox.git("log", "--all", "-p", "--", "MEMORY.md")
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


def test_a_tracked_file_that_matches_an_ignore_rule_is_curated(sandbox: Sandbox) -> None:
    sandbox.write(".gitignore", "*.md\n")
    promote(sandbox)
    require_ours_stays(sandbox)


@pytest.mark.promise(
    "Git",
    "files with CRLF that git would store as LF",
    "refused if git would convert them, otherwise kept",
)
@pytest.mark.parametrize(
    ("config", "attributes"),
    [("true", ""), ("input", ""), ("false", "*.md text\n"), ("false", "*.md text=auto\n"),
     ("false", "*.md eol=lf\n"), ("false", "*.md crlf\n")],
)  # fmt: skip
def test_crlf_that_git_would_store_as_lf_is_refused_not_recorded_as_a_change_of_every_line(
    sandbox: Sandbox, config: str, attributes: str
) -> None:
    sandbox.write(".gitattributes", attributes)
    sandbox.git("add", "-A")
    sandbox.git("commit", "-q", "--allow-empty", "-m", "attributes")
    sandbox.git("config", "core.autocrlf", config)
    sandbox.write("MEMORY.md", MEMORY_TEXT.replace("\n", "\r\n"))
    require_refused(sandbox, "CRLF")


@pytest.mark.parametrize(
    ("config", "attributes", "text"),
    [
        ("true", "", MEMORY_TEXT),
        ("input", "*.md text eol=crlf\n", MEMORY_TEXT),
        ("true", "*.md -text\n", MEMORY_TEXT.replace("\n", "\r\n")),
        ("true", "", MEMORY_TEXT.replace("\n", "\r\n")),
        ("false", "", MEMORY_TEXT.replace("\n", "\r\n")),
        ("false", "*.md text=auto\n", MEMORY_TEXT.replace("\n", "\r\n")),
    ],
)
def test_line_ends_that_git_keeps_are_kept_through_action_undo_and_their_commit(
    sandbox: Sandbox, config: str, attributes: str, text: str
) -> None:
    sandbox.write("MEMORY.md", text)
    sandbox.git("commit", "-q", "--allow-empty", "-am", "as it is")
    sandbox.git("config", "core.autocrlf", config)
    if attributes:
        sandbox.write(".gitattributes", attributes)
        sandbox.commit("attributes")
    promote(sandbox)
    assert sandbox.git("status", "--porcelain") == ""
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.read("MEMORY.md").decode() == text
    place.operations.carry_out(lambda: plan_redo(place))
    added = [line for line in sandbox.git("show", "--format=", "HEAD").splitlines() if line[:1] == "+"]
    assert len(added) == 2  # the header and one line, not all of them
    require_ours_stays(sandbox)


def test_keywords_that_git_rewrites_are_refused(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "$Id: 1 $\n")
    sandbox.commit("keyword")
    sandbox.write(".gitattributes", "*.md ident\n")
    require_refused(sandbox, r"\$Id\$")


@pytest.mark.promise(
    "Git",
    "filters (git-crypt, LFS), encodings, `ident`",
    "refused if the attribute is set; no program is run",
)
@pytest.mark.parametrize("where", [".gitattributes", ".git/info/attributes", "global"])
def test_files_kept_by_lfs_or_git_crypt_are_refused_wherever_the_attribute_is_set(
    sandbox: Sandbox, person: Path, tmp_path: Path, where: str
) -> None:
    canary = tmp_path / "canary"
    for name in ("lfs", "git-crypt"):
        for key in ("clean", "smudge", "process"):
            sandbox.git("config", f"filter.{name}.{key}", f"touch {canary}; cat")
        sandbox.git("config", f"filter.{name}.required", "true")
    if where == "global":
        (person / "attributes").write_text("*.md filter=lfs\n")
        sandbox.git("config", "--global", "core.attributesFile", str(person / "attributes"))
    else:
        sandbox.write(where, "MEMORY.md filter=git-crypt diff=git-crypt\n")
    with pytest.raises(RepositoryStateError, match="stored through git's filter"):
        promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert not canary.exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o644])
def test_a_forgotten_page_returns_with_its_mode(sandbox: Sandbox, mode: int) -> None:
    page = sandbox.root / EPISODE
    page.chmod(mode)
    sandbox.git("commit", "-qam", "mode", "--allow-empty")
    kept = sandbox.git("ls-files", "-s", EPISODE)
    text = page.read_bytes()
    place = sandbox.workspace
    for _ in range(2):
        place.operations.carry_out(lambda: plan_forget(place, [EPISODE]))
        assert not page.exists()
        place.operations.carry_out(lambda: plan_undo(place))
        assert (page.read_bytes(), page.stat().st_mode & 0o777) == (text, mode)
        assert sandbox.git("status", "--porcelain") == ""
        assert sandbox.git("ls-files", "-s", EPISODE) == kept


def test_a_new_program_of_the_persons_is_recorded_as_one(sandbox: Sandbox) -> None:
    sandbox.write("memory/run.md", "- one\n- two\n").chmod(0o755)
    place = sandbox.workspace
    address = sandbox.address("one", "memory/run.md")
    place.operations.carry_out(lambda: plan_forget(place, [address]))
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.git("ls-tree", "HEAD", "memory/run.md").startswith("100755")


def test_where_git_does_not_look_at_modes_a_new_file_is_no_program(sandbox: Sandbox) -> None:
    sandbox.git("config", "core.fileMode", "false")
    sandbox.write("memory/run.md", "- one\n- two\n").chmod(0o777)
    place = sandbox.workspace
    address = sandbox.address("one", "memory/run.md")
    place.operations.carry_out(lambda: plan_forget(place, [address]))
    assert sandbox.git("ls-tree", "HEAD", "memory/run.md").startswith("100644")


def test_a_mode_that_a_foreign_commit_names_gives_no_more_than_the_persons_umask(sandbox: Sandbox) -> None:
    sandbox.git("rm", "-q", EPISODE)
    sandbox.git("commit", "-qm", f"forged\n\nOperation: abcdefabcdef\nAction: forget\nMode: 777 {EPISODE}")
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place, "abcdefabcdef"))
    umask = os.umask(0)
    os.umask(umask)
    assert (sandbox.root / EPISODE).stat().st_mode & 0o777 & umask == 0


def test_a_file_of_ours_is_made_as_the_umask_says(sandbox: Sandbox) -> None:
    edit = FileEdit(RelPath("memory/new.md"), None, b"- new\n")
    old = os.umask(0o077)
    try:
        sandbox.workspace.operations.carry_out(lambda: Plan(action="note", summary="new", edits=(edit,)))
        promote(sandbox)
    finally:
        os.umask(old)
    assert (sandbox.root / "memory/new.md").stat().st_mode & 0o777 == 0o600
    assert (sandbox.root / "MEMORY.md").stat().st_mode & 0o777 == 0o644
    require_ours_stays(sandbox)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_keeps_its_owner_so_that_its_agent_can_go_on_writing(sandbox: Sandbox) -> None:
    os.chown(sandbox.root / "MEMORY.md", 12345, 23456)
    (sandbox.root / "MEMORY.md").chmod(0o660)
    promote(sandbox)
    status = (sandbox.root / "MEMORY.md").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 23456, 0o660)


def test_attributes_of_a_file_are_kept(sandbox: Sandbox) -> None:
    if not hasattr(os, "setxattr"):
        pytest.skip("this system has no extended attributes")
    try:
        os.setxattr(sandbox.root / "MEMORY.md", "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    promote(sandbox)
    assert os.getxattr(sandbox.root / "MEMORY.md", "user.note") == b"mine"
