"""What the interface must never load, and ways to draw that it must never use."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import screens

ROOM = Path(screens.__file__).parent
MODULES = sorted(ROOM.rglob("*.py"))
HEAVY = ("lancedb", "onnxruntime", "torch", "numpy", "pyarrow", "sentence_transformers", "transformers")


def loaded(code: str, parts: int = 1) -> set[str]:
    """The first parts of the names of all modules that are loaded by the code."""
    report = f"import sys; print(*{{'.'.join(name.split('.')[:{parts}]) for name in sys.modules}})"
    command = [sys.executable, "-c", f"{code}; {report}"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_opening_needs_nothing_heavy() -> None:
    found = loaded("import screens.app")
    assert not found & {*HEAVY, "tantivy", "watchfiles", "tokenizers", "indexing", "click", "msgspec"}


def test_the_first_paint_loads_no_parser_nothing_of_git_and_nothing_that_acts() -> None:
    found = loaded("import screens.app", parts=3)
    acts = {"screens.main.controllers", "screens.loading.reader", "screens.search.engine"}
    parses = {"workbench.memory.markdown", "workbench.memory.origin", "workbench.safety.secrets"}
    writes = {
        "workbench.repository.git_repository",
        "workbench.workspace.transaction",
        "workbench.workspace.ledger",
    }
    assert not found & (acts | parses | writes)


def test_the_command_that_opens_the_interface_loads_no_more_for_others_beside_it() -> None:
    found = loaded("import workbench.cli.program, workbench.cli.setup", parts=2)
    others = {"indexing.sync", "workbench.dreaming", "workbench.health", "workbench.repository"}
    assert not found & others


def test_searching_by_words_loads_no_model(tmp_path: Path) -> None:
    code = (
        "from workbench.workspace.workspace import Workspace;"
        "from indexing.search.index_search import IndexSearch;"
        f"IndexSearch(Workspace.open({str(tmp_path)!r}))"
    )
    assert not loaded(code) & set(HEAVY)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(ROOM).as_posix())
def test_text_is_never_markup(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("Static", "Label", "notify"):
            keywords = {keyword.arg: keyword.value for keyword in node.keywords}
            markup = keywords.get("markup")
            assert isinstance(markup, ast.Constant), f"{module.name}:{node.lineno} {name}"
            assert markup.value is False
        assert name not in ("from_markup", "RichLog", "Markdown", "OptionList", "DataTable", "Tree")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(ROOM).as_posix())
def test_a_module_is_one_idea(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= 600


def test_titles_are_content() -> None:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text())):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Attribute) and target.attr in ("border_title", "border_subtitle"):
                assert isinstance(node, ast.Assign)
                assert "Content(" in ast.unparse(node.value), module.name
