"""reindex of a part and for as long as it is watched; what lies beside the workspace, on the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.sessions import append, claw, plain
from tests.support.workspaces import LOG, Sandbox
from workbench.workspace.locks import hold

PATIENCE_SECONDS = 60


@pytest.fixture(autouse=True)
def notes(person: Path, tmp_path: Path) -> Path:
    """A folder of notes and one of sessions, both in the person's settings, and no model."""
    folder, sessions = tmp_path / "notes", tmp_path / "sessions"
    folder.mkdir()
    sessions.mkdir()
    (folder / "garden.md").write_text("# Garden\n\n- The quokka likes figs\n- Water on Mondays\n")
    said = claw(("user", "Where is the axolotl?"), ("assistant", "In the pond.\n\nStill asleep."))
    (sessions / "s91.jsonl").write_bytes(said + b"{broken\n")
    (person / "settings.yaml").write_text(
        f"model: none\nextra_paths: [{folder}]\ntranscripts: [{sessions}]\n"
    )
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "s91.jsonl"


def address(run: Run, words: str) -> str:
    """The entry that is found first."""
    return str(run("search", words, "--json").json["hits"][0]["entry"])


def test_a_part_is_reindexed_and_the_rest_left_alone(run: Run, sandbox: Sandbox, notes: Path) -> None:
    run("reindex")
    sandbox.write("memory/a.md", "- a wombat\n")
    (notes / "garden.md").write_text("- changed\n")
    report = run("reindex", "memory", "--json").json
    assert (report["files"]["added"], report["files"]["changed"]) == (1, 0)
    assert run("reindex", str(notes), "--json").json["files"]["changed"] == 1
    assert run("reindex", "--json").json["files"]["unchanged"] == 6


def test_a_part_that_is_nowhere_is_refused(run: Run) -> None:
    run("reindex")
    assert run("reindex", "/etc").code == 2
    assert run("reindex", "memory/none.md", "--json").json["error"]["code"] == "usage"


def test_lines_that_cannot_be_read_and_what_is_absent_are_said(run: Run, notes: Path, session: Path) -> None:
    said = run("reindex").err
    assert f"unreadable lines of {session}: 1 (4)" in said
    notes.rename(notes.with_name("away"))
    said = run("reindex").err
    assert f"absent: {notes}: it does not exist; 1 of its files stay indexed" in said


def test_status_tells_what_lies_beside_and_what_waits(run: Run, notes: Path, session: Path) -> None:
    run("reindex")
    append(session, plain(("user", "Saw a heron")))
    lines = run("status").out.splitlines()
    assert f"beside     {notes}: 1 file" in lines
    assert f"beside     {session.parent}: 1 file" in lines
    assert "1 growing transcript waiting" in next(line for line in lines if line.startswith("index"))
    index = run("status", "--json").json["index"]
    assert index["files"]["waiting"] == 1
    assert [source["sort"] for source in index["sources"]] == ["extra", "transcripts"]
    notes.rename(notes.with_name("away"))
    assert f"beside     {notes}: it does not exist; 1 of its files stay indexed" in run("status").out


def test_get_shows_a_file_beside_whole_in_part_and_by_its_entry(run: Run, notes: Path) -> None:
    run("reindex")
    path = f"{notes}/garden.md"
    assert run("get", path).out == "# Garden\n\n- The quokka likes figs\n- Water on Mondays\n"
    assert run("get", f"{path}#L4").out == "- Water on Mondays\n"
    found = run("get", address(run, "quokka"), "--json").json
    assert (found["path"], found["start_line"], found["text"]) == (path, 3, "- The quokka likes figs")


def test_get_shows_what_was_said_in_a_session(run: Run, session: Path) -> None:
    run("reindex")
    assert run("get", str(session)).out == (
        "User: Where is the axolotl?\nAssistant: In the pond.\n\nStill asleep.\n"
    )
    found = run("get", address(run, "axolotl"), "--json").json
    assert (found["start_line"], found["total_lines"]) == (2, 4)
    assert found["text"] == "User: Where is the axolotl?"


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "{notes}/../sessions", "{notes}/none.md", "{notes}/link.md", "/"]
)
def test_get_shows_nothing_that_no_source_holds(run: Run, notes: Path, path: str) -> None:
    (notes / "link.md").symlink_to("/etc/passwd")
    found = run("get", path.format(notes=notes), "--json")
    assert found.code == 2
    assert found.json["error"]["code"] == "not-memory"


@pytest.mark.parametrize(
    "action",
    [
        ("promote", "{0}"),
        ("forget", "{0}"),
        ("edit", "{0}", "--text", "x"),
        ("move", "{0}", "--to", "memory/a.md"),
        ("move", "{1}", "--to", "{2}"),
        ("merge", "{1}", "{0}"),
        ("pin", "{0}"),
        ("quarantine", "{0}"),
        ("show", "{0}"),
        ("log", "{0}"),
        ("blame", "{2}"),
        ("check", "{2}"),
    ],
    ids=lambda action: " ".join(action[:1]),
)
def test_no_action_touches_what_lies_beside(
    run: Run, sandbox: Sandbox, notes: Path, session: Path, action: tuple[str, ...]
) -> None:
    run("reindex")
    own = sandbox.address("staging port", LOG)
    before = {path: path.read_bytes() for path in (notes / "garden.md", session)}
    head = sandbox.git("rev-parse", "HEAD")
    for words, path in (("quokka", notes / "garden.md"), ("axolotl", session)):
        done = run(*(part.format(address(run, words), own, path) for part in action))
        assert done.code != 0
        assert "outside of the workspace" in done.err or "not a memory file" in done.err
    assert {path: path.read_bytes() for path in before} == before
    assert sandbox.git("rev-parse", "HEAD") == head


def test_memory_may_be_audited_and_recorded_beside_extra_paths(run: Run, sandbox: Sandbox) -> None:
    run("reindex")
    sandbox.write("memory/a.md", "- a wombat\n")
    assert run("status", "--commit").code == 0
    run("reindex")
    assert run("verify").code == 0
    assert run("check").code == 0
    assert "garden" not in sandbox.git("log", "-p")


@pytest.mark.parametrize("extra", [["--full"], ["--dry-run"], ["memory"]])
def test_watching_is_for_everything(run: Run, extra: list[str]) -> None:
    assert run("reindex", "--watch", *extra).code == 2


def test_the_past_is_not_watched(run: Run, sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD").strip()
    assert run("--as-of", head, "reindex", "--watch").code == 2


@pytest.fixture
def watching(sandbox: Sandbox) -> Iterator[subprocess.Popen[str]]:
    """``reindex --watch --json`` in a process of its own."""
    command = [sys.executable, "-m", "workbench", "-w", str(sandbox.root), "reindex", "--watch", "--json"]
    home = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield child
    if child.poll() is None:
        child.kill()
    child.communicate()


def said(child: subprocess.Popen[str]) -> Any:
    assert child.stdout is not None
    return json.loads(child.stdout.readline())


@pytest.mark.promise(
    "The index",
    "SIGINT or SIGTERM during `reindex --watch`, also within a run",
    "ends cleanly; the next run finishes",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_watch_says_one_line_a_run_and_ends_cleanly(
    watching: subprocess.Popen[str], sandbox: Sandbox, run: Run, number: int
) -> None:
    first = said(watching)
    assert (first["event"], first["why"], first["files"]["added"]) == ("run", "start", 5)
    sandbox.write("memory/a.md", "- a wombat\n")
    second = said(watching)
    assert (second["why"], second["files"]["added"]) == ("change", 1)
    assert run("search", "wombat", "--json").json["hits"]
    watching.send_signal(number)
    out, err = watching.communicate(timeout=PATIENCE_SECONDS)
    assert (watching.returncode, out) == (0, "")
    assert "Traceback" not in err
    with hold(sandbox.root / ".workbench/index.lock", "test"):
        pass  # whoever watched left no lock


@pytest.mark.promise(
    "The index",
    "two processes reindex at once",
    "the second one says which process is running; one that watches tries again",
)
def test_who_comes_second_is_told_that_somebody_is_at_it(run: Run, sandbox: Sandbox) -> None:
    run("reindex")
    with hold(sandbox.root / ".workbench/index.lock", "reindex"):
        busy = run("reindex", "memory")
    assert busy.code == 3
    assert "reindex (process" in busy.err
