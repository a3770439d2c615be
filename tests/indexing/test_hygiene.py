"""What is imported when: a process that only needs words never pays for vectors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.indexing.conftest import Memory

ROOT = Path(__file__).parents[2]
VECTORS = "lancedb pyarrow numpy torch onnxruntime tokenizers sentence_transformers transformers".split()  # noqa: SIM905


def imported(code: str, *names: str) -> set[str]:
    """Which of ``names`` are imported after ``code`` ran in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint('\\n' + ' '.join(set({names!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_searching_by_words_loads_no_vectors(filled: Memory) -> None:
    code = (
        "from indexing.search.index_search import IndexSearch\n"
        "from indexing.search.answer import Query\n"
        "from workbench.workspace.workspace import Workspace\n"
        f"answer = IndexSearch(Workspace.open({str(filled.root)!r})).search(Query('door code'))\n"
        "assert answer.hits"
    )
    assert imported(code, *VECTORS) == set()


def test_a_hybrid_search_without_vectors_loads_none(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    memory.reindex(vectors=False)
    code = (
        "from indexing.search.index_search import IndexSearch\n"
        "from indexing.search.answer import Query\n"
        "from workbench.workspace.workspace import Workspace\n"
        f"answer = IndexSearch(Workspace.open({str(memory.root)!r})).search(Query('door code'))\n"
        "assert answer.hits and answer.degraded"
    )
    assert imported(code, *VECTORS) == set()


def test_freshness_loads_no_engine(filled: Memory) -> None:
    code = (
        "from indexing.sync.freshness import freshness\n"
        "from workbench.workspace.workspace import Workspace\n"
        f"assert freshness(Workspace.open({str(filled.root)!r})).state == 'fresh'"
    )
    assert imported(code, "tantivy", *VECTORS) == set()


@pytest.mark.parametrize(
    "module", ["indexing", "indexing.search.answer", "indexing.sync.freshness", "indexing.sync.report"]
)
def test_light_modules_stay_light(module: str) -> None:
    assert imported(f"import {module}", "tantivy", *VECTORS) == set()


def test_a_sync_without_vectors_loads_no_vectors(filled: Memory) -> None:
    filled.write("memory/new.md", "new words")
    code = (
        "from indexing.sync.run import reindex\n"
        "from workbench.workspace.workspace import Workspace\n"
        f"assert reindex(Workspace.open({str(filled.root)!r}), vectors=False).added == 1"
    )
    assert imported(code, *VECTORS) == set()


def test_three_modules_alone_can_ask_a_network() -> None:
    modules = [
        path for package in ("workbench", "indexing", "screens") for path in (ROOT / package).rglob("*.py")
    ]
    names = ("huggingface_hub", "urllib.request", "http.client", "httpx", "requests", "socket")
    users = {
        path.relative_to(ROOT).as_posix()
        for path in modules
        if any(f"import {name}" in (text := path.read_text()) or f"from {name}" in text for name in names)
    }
    assert users == {
        "indexing/embedding/model_files.py",
        "indexing/embedding/remote.py",
        "workbench/llm/openai_compatible.py",
    }


@pytest.mark.model
def test_loading_the_model_leaves_nothing_for_anybody_to_send(tmp_path: Path) -> None:
    """onnxruntime makes a device id and a queue of events in the home of whoever imports it."""
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    code = "import indexing.embedding.onnx_model"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    assert [path for path in tmp_path.rglob("*") if "icrosoft" in str(path) or "onnx" in str(path)] == []


def test_a_worker_of_a_fleet_loads_no_table() -> None:
    assert imported("import workbench.fleet.worker", "lancedb") == set()
