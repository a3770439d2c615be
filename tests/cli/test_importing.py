"""`workbench import …`: every source, shown first, in JSON, and when it is not there."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.importers.test_importing import NOTE, cells_file, graph_file, recall_store
from tests.support.workspaces import Sandbox
from workbench.workspace.workspace import Workspace

DUMP = (
    "COPY public.memory_documents (id, agent_id, user_id, path, content) FROM stdin;\n"
    "d1\tmoss\t\\N\tmemory/2026-02-01.md\t- The pilot starts in May\\n\n"
    "d2\tfern\t\\N\tmemory/2026-02-02.md\t- Of another agent\\n\n"
    "\\.\n"
)


def recalls(sandbox: Sandbox, folder: Path) -> list[str]:
    recall_store(sandbox)
    return ["openclaw-recalls"]


def cells(sandbox: Sandbox, folder: Path) -> list[str]:
    return ["openclaw-cells", str(cells_file(folder / "memory.db"))]


def graph(sandbox: Sandbox, folder: Path) -> list[str]:
    return ["goclaw-graph", str(graph_file(folder / "graph.db", {"content": "Lives in Osaka"}))]


def dump(sandbox: Sandbox, folder: Path) -> list[str]:
    (folder / "plain.sql").write_text(DUMP)
    return ["goclaw", "--agent", "moss", str(folder / "plain.sql")]


def notes(sandbox: Sandbox, folder: Path) -> list[str]:
    (folder / "notes").mkdir()
    (folder / "notes" / "coffee.md").write_text(NOTE)
    return ["basic-memory", str(folder / "notes")]


Source = Callable[[Sandbox, Path], list[str]]
EVERY = pytest.mark.parametrize("source", [recalls, cells, graph, dump, notes])


def tree(sandbox: Sandbox) -> dict[str, bytes]:
    """All files but those of git and of the workbench's state."""
    return {
        os.path.relpath(path, sandbox.root): path.read_bytes()
        for path in sandbox.root.rglob("*")
        if path.is_file() and not {".git", ".workbench"} & set(path.parts)
    } | {"recalls": repr(list(Workspace.open(sandbox.root).ledger.read("recalls"))).encode()}


@EVERY
def test_an_import_is_shown_first_done_once_and_taken_back(
    run: Run, sandbox: Sandbox, tmp_path: Path, source: Source
) -> None:
    arguments = source(sandbox, tmp_path)
    before = tree(sandbox)
    shown = run("import", *arguments, "--dry-run")
    assert (shown.code, tree(sandbox)) == (0, before)
    assert "+++ " in shown.out
    done = run("import", *arguments)
    assert done.code == 0, done.err
    assert " from " in done.out
    assert "workbench undo" in done.err
    after = tree(sandbox)
    assert after != before
    again = run("import", *arguments)
    assert again.code == 2
    assert "nothing new" in again.err
    assert tree(sandbox) == after
    assert run("undo").code == 0
    assert tree(sandbox) == before


def files_in(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line.startswith("+++ ")]


@EVERY
def test_json_says_what_would_be_done_and_what_was(
    run: Run, sandbox: Sandbox, tmp_path: Path, source: Source
) -> None:
    arguments = source(sandbox, tmp_path)
    shown = run("import", *arguments, "--dry-run", "--json").json
    done = run("import", *arguments, "--json").json
    assert done["action"] == shown["action"] == "import"
    assert files_in(done["diff"]) == files_in(shown["diff"])
    assert any("ingested" in line for line in files_in(shown["diff"]))
    again = run("import", *arguments, "--json")
    assert (again.code, again.json["error"]["code"]) == (2, "not-curatable")


def test_memory_lands_where_it_is_found_again(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    for source in (graph, dump, notes):
        assert run("import", *source(sandbox, tmp_path)).code == 0
    assert "Lives in Osaka" in (sandbox.root / "graph/person/user.md").read_text()
    assert "The pilot starts in May" in (sandbox.root / "memory/2026-02-01.md").read_text()
    assert not (sandbox.root / "memory/2026-02-02.md").exists()
    assert (sandbox.root / "graph/concept/coffee-brewing-methods.md").exists()


def test_whose_memory_it_is_can_be_said(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    assert run("import", *graph(sandbox, tmp_path), "--user", "Tessa Marsh").code == 0
    assert "Lives in Osaka" in (sandbox.root / "graph/person/tessa-marsh.md").read_text()


def test_of_several_agents_one_must_be_chosen(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    dump(sandbox, tmp_path)
    result = run("import", "goclaw", str(tmp_path / "plain.sql"))
    assert result.code == 2
    assert "--agent: fern, moss" in result.err


def test_recalls_that_openclaw_has_not_recorded_yet_are_told(run: Run, sandbox: Sandbox) -> None:
    result = run("import", "openclaw-recalls")
    assert result.code == 2
    assert "OpenClaw has not recorded any recalls here" in result.err


@pytest.mark.parametrize("command", ["openclaw-recalls", "openclaw-cells", "goclaw-graph", "goclaw"])
@pytest.mark.parametrize("what", ["missing", "folder", "empty", "other", "pipe"])
def test_what_is_no_such_source_is_refused_with_words(
    run: Run, sandbox: Sandbox, tmp_path: Path, command: str, what: str
) -> None:
    path = tmp_path / "source"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "other":
        sqlite3.connect(path).execute("CREATE TABLE other (a)")
    elif what == "empty":
        path.write_bytes(b"")
    before = tree(sandbox)
    result = run("import", command, str(path))
    assert result.code == 2
    assert result.err
    assert "Traceback" not in result.err
    assert tree(sandbox) == before


def test_a_server_that_does_not_answer_is_said_without_its_password(run: Run) -> None:
    pytest.importorskip("psycopg")
    result = run("import", "goclaw", "postgresql://tessa:hunter2@127.0.0.1:9/none")
    assert result.code == 2
    assert "hunter2" not in result.out + result.err


def test_what_is_left_out_is_named_and_cannot_speak_to_the_terminal(
    run: Run, sandbox: Sandbox, tmp_path: Path
) -> None:
    path = graph_file(
        tmp_path / "g.db",
        {"content": "Lives in Osaka"},
        {"content": "x", "memory_type": "\x1b[31mwhim", "uuid": "\x1b]0;title\x07"},
    )
    result = run("import", "goclaw-graph", str(path))
    assert result.code == 0
    assert "unknown type of memory" in result.err
    assert "\x1b" not in result.out + result.err


def test_a_document_that_changed_there_is_changed_in_its_place(
    run: Run, sandbox: Sandbox, tmp_path: Path
) -> None:
    arguments = dump(sandbox, tmp_path)
    assert run("import", *arguments).code == 0
    (tmp_path / "plain.sql").write_text(DUMP.replace("in May", "in June"))
    assert run("import", *arguments).code == 0
    assert "in June" in (sandbox.root / "memory/2026-02-01.md").read_text()
    assert not (sandbox.root / "memory/imported").exists()


def test_what_comes_and_what_cannot_are_counted_apart(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    several = run("import", *cells(sandbox, tmp_path / "some"), "--dry-run").err
    assert "3 items to import, 3 that cannot be imported" in several
    one = run("import", *notes(sandbox, tmp_path), "--dry-run").err
    assert "1 item to import" in one
    assert "cannot be imported" not in one
