"""What the interface must never load, and ways to draw that it must never use."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from functools import cache
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


PRIVATE = re.compile("_[a-z]")
NOT_PUBLIC = {
    "app.py": {"_css_update_count", "_driver", "_notifications", "_unnotify", "_variables"},
    "driver.py": {"_debug", "_file", "_must_signal_resume", "_sequence_to_key_events"},
    "frames/action_screen.py": {"_compositor", "_full_map", "_refresh_layout"},
    "main/copy.py": {"_clipboard", "_driver"},
    "main/key_bindings.py": {"_bindings"},
    "main/theme_control.py": {"_color_system"},
    "widgets/entry_list.py": {"_scroll_update"},
    "widgets/lines.py": {"_component_styles", "_get_component_classes"},
    "workspaces/switch.py": {"_push_result_callback", "_result_callbacks"},
}
"""Private names of Textual and Rich that modules use, where a comment says why: there is no public way."""


def private_names(code: str) -> set[str]:
    """The private names that classes define and methods set."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(textwrap.dedent(code))):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                found.add(name)
            case ast.ClassDef(body=body):
                assigned = (
                    one.targets[0] if isinstance(one, ast.Assign) else one.target
                    for one in body
                    if isinstance(one, ast.Assign | ast.AnnAssign)
                )
                found |= {target.id for target in assigned if isinstance(target, ast.Name)}
    return set(filter(PRIVATE.match, found))


def test_no_private_part_of_textual_is_used_or_replaced_but_those_that_are_known() -> None:
    ours: set[str] = set().union(*(private_names(module.read_text()) for module in MODULES))
    of_base = cache(lambda base: private_names(inspect.getsource(base)))
    found: dict[str, set[str]] = {}
    for module in MODULES:
        place = module.relative_to(ROOM)
        code = ast.walk(ast.parse(module.read_text()))
        reached = {node.attr for node in code if isinstance(node, ast.Attribute)}
        used = set(filter(PRIVATE.match, reached)) - ours - {"_exit"}
        name = ".".join(("screens", *place.with_suffix("").parts)).removesuffix(".__init__")
        for one in vars(importlib.import_module(name)).values():
            if inspect.isclass(one) and one.__module__ == name:
                bases = [base for base in one.__mro__ if base.__module__.startswith("textual")]
                used |= private_names(inspect.getsource(one)) & set().union(*map(of_base, bases))
        if used:
            found[place.as_posix()] = used
    assert found == NOT_PUBLIC
