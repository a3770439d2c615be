"""The workspace as it was: whole, read-only, and nowhere but in its folder."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.errors import (
    NotMemoryError,
    ReadOnlyError,
    RepositoryStateError,
    WorkbenchError,
    WriteFailedError,
)
from workbench.history.lineage import lineage
from workbench.history.origin import blame
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.repository.objects import CommitId
from workbench.workspace import snapshot
from workbench.workspace.external_changes import record
from workbench.workspace.snapshot import KEPT, PastWorkspace, open_commit, open_past
from workbench.workspace.workspace import Workspace


def head(sandbox: Sandbox) -> str:
    return sandbox.git("rev-parse", "HEAD").strip()


@pytest.fixture
def then(sandbox: Sandbox) -> Iterator[PastWorkspace]:
    """The sandbox as it was before one entry was promoted and another one forgotten."""
    before = head(sandbox)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))
    place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("tantivy")]))
    opened = open_past(place, before)
    yield opened
    opened.close()


def test_files_and_entries_are_those_of_the_moment(sandbox: Sandbox, then: PastWorkspace) -> None:
    assert [file.path for file in then.scan()] == ["MEMORY.md", EPISODE, LOG]
    assert b"tantivy" in then.read(LOG)
    assert b"staging port" not in then.memory_document().data
    assert then.locate(f"{LOG}#{_hash(then, 'tantivy')}")[1].start_line == 7
    assert b"tantivy" not in sandbox.workspace.read(LOG)


def _hash(place: Workspace, words: str) -> str:
    return next(entry.hash for entry in place.document(LOG).entries if words in entry.text)


def test_history_ends_at_the_moment(sandbox: Sandbox, then: PastWorkspace) -> None:
    assert [operation.summary for operation in then.operations.walk()] == ["start"]
    assert {line.deed.action for line in blame(then, LOG)} == {"commit"}
    address = f"{LOG}#{_hash(then, 'staging port')}"
    assert [step.what for step in lineage(then, address)] == ["add"]
    assert [step.what for step in lineage(sandbox.workspace, address)] == ["promote", "add"]


def test_every_action_is_refused_and_says_which_moment_this_is(sandbox: Sandbox, then: PastWorkspace) -> None:
    address = f"{LOG}#{_hash(then, 'tantivy')}"
    before, at = sandbox.snapshot(), head(sandbox)
    for act in (
        lambda: then.operations.carry_out(lambda: plan_forget(then, [address])),
        lambda: then.operations.carry_out(lambda: plan_promote(then, [address])),
        lambda: then.operations.carry_out(lambda: plan_undo(then)),
        lambda: record(then),
    ):
        with pytest.raises(ReadOnlyError, match=then.commit[:12]):
            act()  # type: ignore[no-untyped-call]
    assert (sandbox.snapshot(), head(sandbox)) == (before, at)
    then.operations.recover()


def test_nothing_beside_its_own_folder_is_touched(sandbox: Sandbox) -> None:
    def outside() -> dict[str, bytes]:
        files = (p for p in sandbox.root.rglob("*") if p.is_file() and "/.workbench/" not in f"{p}")
        return {str(p): p.read_bytes() for p in files}

    before = outside()
    place = open_past(sandbox.workspace, head(sandbox))
    for file in place.scan():
        assert stat.S_IMODE((place.root / file.path).stat().st_mode) == 0o444
    assert place.root == sandbox.root / ".workbench" / "past" / head(sandbox)[:12]
    assert outside() == before
    place.close()


def test_a_folder_of_the_past_is_known_by_whoever_opens_it_later(then: PastWorkspace) -> None:
    again = Workspace.open(then.root)
    assert isinstance(again, PastWorkspace)
    assert again.commit == then.commit
    assert [operation.summary for operation in again.operations.walk()] == ["start"]
    again.close()


def test_there_is_no_past_of_the_past(then: PastWorkspace) -> None:
    with pytest.raises(ReadOnlyError, match="already memory as of"):
        open_past(then, then.commit)


def test_quarantine_and_what_is_no_memory_are_left_out(sandbox: Sandbox) -> None:
    sandbox.write("_system/quarantine/q.md", "- poison\n")
    sandbox.write("src/app.py", "x")
    sandbox.write(".secret/a.md", "- hidden\n")
    sandbox.commit("more")
    place = open_past(sandbox.workspace, head(sandbox))
    assert [file.path for file in place.scan()] == ["MEMORY.md", EPISODE, LOG]
    with pytest.raises(NotMemoryError):
        place.read("_system/quarantine/q.md")
    assert not (place.root / "_system").exists()
    assert not (place.root / "src").exists()
    place.close()


def test_the_settings_of_today_decide_what_is_memory(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "exclude: ['episodes/**']\n")
    sandbox.workspace.close()
    today = Workspace.open(sandbox.root)
    place = open_past(today, head(sandbox))
    assert [file.path for file in place.scan()] == ["MEMORY.md", LOG]
    assert [file.path for file in Workspace.open(place.root).scan()] == ["MEMORY.md", LOG]
    place.close()
    today.close()


def _tree(sandbox: Sandbox, lines: list[tuple[str, bytes, str]]) -> str:
    data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(blob) for mode, name, blob in lines)
    command = ["git", "-C", str(sandbox.root), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
    return subprocess.run(command, input=data, check=True, capture_output=True).stdout.decode().strip()


def test_a_hostile_tree_writes_nothing_outside(sandbox: Sandbox, tmp_path: Path) -> None:
    blob = sandbox.git("rev-parse", f"HEAD:{LOG}").strip()
    link = (
        subprocess.run(
            ["git", "-C", str(sandbox.root), "hash-object", "-w", "--stdin"],
            input=str(tmp_path / "outside").encode(),
            check=True,
            capture_output=True,
        )
        .stdout.decode()
        .strip()
    )
    memory = _tree(
        sandbox,
        [
            ("100644", b"..", blob),
            ("100644", b"../up.md", blob),
            ("100644", b"../../../../up.md", blob),
            ("100644", b"/abs.md", blob),
            ("100644", b"CASE.md", blob),
            ("100644", b"case.md", blob),
            ("100644", b"n" * 252 + b".md", blob),
            ("100644", b"n" * 253 + b".md", blob),
            ("100644", b"\xff.md", blob),
            ("120000", b"link.md", link),
            ("160000", b"module.md", sandbox.git("rev-parse", "HEAD").strip()),
        ],
    )
    inner = _tree(sandbox, [("100644", b"x.md", blob)])
    top = _tree(
        sandbox,
        [
            ("40000", b"..", inner),
            ("40000", b".git", inner),
            ("40000", b".workbench", inner),
            ("40000", b"memory", memory),
        ],
    )
    commit = sandbox.git("commit-tree", "-m", "hostile", "-p", "HEAD", top).strip()
    sandbox.git(
        "update-ref", "HEAD", sandbox.git("commit-tree", "-m", "clean", "-p", commit, "HEAD^{tree}").strip()
    )
    before = {str(p) for p in tmp_path.rglob("*") if "/.workbench" not in str(p)}
    place = open_past(sandbox.workspace, commit)
    names = {os.fsencode(file.path) for file in place.scan()}
    assert {b"memory/" + b"n" * 252 + b".md", b"memory/\xff.md", b"memory/CASE.md"} <= names
    assert not any(b"link" in name or b".." in name or b"abs" in name or b"n" * 253 in name for name in names)
    assert {str(p) for p in tmp_path.rglob("*") if "/.workbench" not in str(p)} == before
    assert {p.name for p in (sandbox.root / ".workbench" / "past").iterdir()} == {"lock", commit[:12]}
    assert sorted(os.listdir(place.root / ".workbench")) == [".gitignore", "moment"]
    place.close()


def test_a_tree_without_end_is_refused_and_leaves_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten folders that are ten times the same folder, and so on: a thousand million files in ten objects."""
    monkeypatch.setattr(snapshot, "MAX_FILES", 500)
    tree = _tree(sandbox, [("100644", b"x.md", sandbox.git("rev-parse", f"HEAD:{LOG}").strip())])
    for _ in range(9):
        tree = _tree(sandbox, [("40000", b"%d" % n, tree) for n in range(10)])
    top = _tree(sandbox, [("40000", b"memory", tree)])
    commit = sandbox.git("commit-tree", "-m", "bomb", "-p", "HEAD", top).strip()
    sandbox.git("update-ref", "HEAD", commit)
    with pytest.raises(WriteFailedError, match="too large"):
        open_past(sandbox.workspace, commit)
    assert {p.name for p in (sandbox.root / ".workbench" / "past").iterdir()} == {"lock"}


def test_only_a_few_moments_stay_on_disk_the_latest_used_ones(sandbox: Sandbox) -> None:
    commits = []
    for number in range(KEPT + 3):
        sandbox.write(LOG, sandbox.read(LOG) + f"- {number}\n".encode())
        sandbox.commit(str(number))
        commits.append(head(sandbox))
    folder = sandbox.root / ".workbench" / "past"
    for age, commit in enumerate(commits):
        open_past(sandbox.workspace, commit).close()
        os.utime(folder / commit[:12], (age, age))
    (folder / ".interrupted").mkdir()
    open_past(sandbox.workspace, commits[0]).close()
    kept = {p.name for p in folder.iterdir()} - {"lock"}
    assert kept == {commits[0][:12], *(commit[:12] for commit in commits[-(KEPT - 1) :])}


def test_a_clone_cannot_bring_a_past_of_its_own(sandbox: Sandbox) -> None:
    commit = head(sandbox)
    made = open_past(sandbox.workspace, commit)
    made.close()
    (made.root / LOG).unlink()
    (made.root / LOG).write_text("- never said\n")
    sandbox.git("add", "-f", f".workbench/past/{commit[:12]}")
    sandbox.git("commit", "-q", "-m", "forged past")
    with pytest.raises(RepositoryStateError, match="under version control"):
        open_past(sandbox.workspace, commit)


def test_what_an_interrupted_process_left_is_made_anew(sandbox: Sandbox) -> None:
    first = open_past(sandbox.workspace, head(sandbox))
    (first.root / ".workbench" / "moment").unlink()
    (first.root / LOG).unlink()
    again = open_past(sandbox.workspace, head(sandbox))
    assert again.read(LOG) == sandbox.read(LOG)
    first.close()
    again.close()


def test_a_workspace_below_the_top_of_its_repository_is_laid_out_alone(tmp_path: Path) -> None:
    top = tmp_path / "top"
    made = Sandbox(top / "agents" / "one", repository=False)
    (top / "MEMORY.md").write_text("- of another\n")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    made.git("add", "-A", str(top))
    made.git("commit", "-q", "-m", "start")
    place = open_past(made.workspace, made.git("rev-parse", "HEAD").strip())
    assert {file.path: place.read(file.path) for file in place.scan()} == made.snapshot()
    place.close()
    made.close()


def test_a_sha256_repository_has_a_past_too(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "w", repository=False)
    made.git("init", "-q", "--object-format=sha256")
    made.commit("start")
    place = open_past(made.workspace, made.git("rev-parse", "HEAD").strip())
    assert {file.path: place.read(file.path) for file in place.scan()} == made.snapshot()
    place.close()
    made.close()


@pytest.mark.promise(
    "The interface", "making a snapshot of the past is stopped halfway", "no files are left behind"
)
def test_laying_out_tells_how_far_it_is_and_leaves_nothing_when_it_is_stopped(sandbox: Sandbox) -> None:
    for number in range(250):
        sandbox.write(f"memory/note-{number}.md", f"- note {number}\n")
    sandbox.commit("many")
    commit = sandbox.workspace.history.commit(CommitId(head(sandbox)))
    told: list[int] = []

    def stop(files: int) -> None:
        told.append(files)
        if files == 200:
            raise InterruptedError

    with pytest.raises(WorkbenchError):  # any error of the system's is said as one of ours
        open_commit(sandbox.workspace, commit, stop)
    assert told == [100, 200]
    assert os.listdir(sandbox.root / ".workbench" / "past") == ["lock"]
    open_commit(sandbox.workspace, commit).close()


def test_a_link_that_leads_nowhere_is_swept_and_in_nobodys_way(sandbox: Sandbox) -> None:
    folder = sandbox.workspace.state_dir() / "past"
    folder.mkdir(mode=0o700)
    for number in range(KEPT + 1):
        (folder / f"{number:012x}").symlink_to("nowhere")
    head = sandbox.git("rev-parse", "HEAD").strip()
    assert open_past(sandbox.workspace, head).root.is_dir()
    assert sum(1 for name in folder.iterdir() if name.name != "lock") <= KEPT
