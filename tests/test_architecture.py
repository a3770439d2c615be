"""Rules of the house that no type checker sees."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
PACKAGES = ("workbench", "indexing", "screens", "themes")
MODULES = [path for package in PACKAGES for path in sorted((PROJECT / package).rglob("*.py"))]
HEAVY = ("textual", "torch", "lancedb", "tantivy", "onnxruntime", "numpy", "sentence_transformers", "git")


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def relative(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def test_only_the_carrier_starts_git() -> None:
    users = [relative(p) for p in MODULES if "git" in imported(ast.parse(p.read_text()))]
    assert sorted(users) == ["workbench/repository/git_process.py", "workbench/repository/git_runner.py"]


def test_memory_does_no_input_or_output() -> None:
    forbidden = {"os", "pathlib", "subprocess", "socket", "shutil", "tempfile"}
    for path in (PROJECT / "workbench/memory").glob("*.py"):
        tree = ast.parse(path.read_text())
        calls = {
            n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        assert not imported(tree) & forbidden, path
        assert "open" not in calls, path


def test_only_the_file_layer_writes_a_memory_file() -> None:
    """Curation, screens and the command line have no way to write: they plan, operations carry out."""
    writers = {"write_text", "write_bytes", "unlink", "rename", "replace_file", "rmtree", "touch"}
    for folder in ("workbench/operations", "workbench/history", "workbench/cli", "screens"):
        for path in (PROJECT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    assert node.func.attr not in writers, f"{relative(path)}:{node.lineno}"


def test_no_module_is_longer_than_one_idea() -> None:
    long = {relative(p): n for p in MODULES if (n := len(p.read_text().splitlines())) > 650}
    assert long == {}


@pytest.mark.parametrize("command", [["--help"], ["status"], ["get", "MEMORY.md"]])
def test_light_commands_import_nothing_heavy(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    code = (
        "import sys; sys.argv = ['workbench', *sys.argv[1:]]\n"
        "from workbench.cli import main\n"
        "try: main()\n"
        "except SystemExit as leave: assert not leave.code\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path,
        env={"PYTHONPATH": str(PROJECT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    allowed = ["git"] if command == ["status"] else []
    assert done.stderr.strip().splitlines()[-1] == str(allowed)


def test_opening_and_reading_open_no_connection(tmp_path: Path) -> None:
    """Browsing and acting never touch the network: a socket of any other kind than local fails the run."""
    code = """
import sys
def audit(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise SystemExit(f"network: {event} {arguments}")
sys.addaudithook(audit)
from tests.support.workspaces import Sandbox
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from pathlib import Path
s = Sandbox(Path(sys.argv[1]) / "w")
address = s.address("staging port")
s.workspace.operations.carry_out(lambda: plan_promote(s.workspace, [address]))
s.workspace.operations.carry_out(lambda: plan_undo(s.workspace))
reindex(s.workspace, vectors=False)
assert IndexSearch(s.workspace, vectors=False).search(Query(text="staging port", mode="lexical")).hits
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=PROJECT, check=True)
