"""Workspaces (the index needs no repository), a stand-in model, and the real one prepared once."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from indexing.embedding.local import open_embedder, prepared_folder
from indexing.embedding.model_files import locate
from indexing.search.answer import Query, SearchAnswer
from indexing.search.index_search import IndexSearch
from indexing.sync.report import SyncReport
from indexing.sync.run import reindex
from tests.conftest import shared_cache
from tests.support.hashing import HashingEmbedder
from tests.support.sessions import claw
from tests.support.tiny import make_tiny_model
from workbench.workspace.workspace import Workspace


class Memory:
    """A workspace that is written like an agent writes it, and its index."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.workspace = Workspace.open(root)
        self.model = HashingEmbedder()

    @property
    def index(self) -> Path:
        return self.root / ".workbench" / "index"

    @property
    def generation(self) -> Path:
        return self.index / (self.index / "current").read_text().strip()

    def write(self, path: str, *items: str, heading: str = "Notes") -> Path:
        """A file with one list item for each of ``items``."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"# {heading}", "", *(f"- {item}" for item in items)]
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return target

    def reindex(self, *, vectors: bool = True, full: bool = False) -> SyncReport:
        return reindex(self.workspace, full=full, vectors=vectors, model=self.model.choice)

    def asked(self, words: str) -> SearchAnswer:
        """What a search by words answers."""
        return self.lexical().search(Query(words, mode="lexical"))

    def found(self, words: str) -> list[str]:
        """The files of its hits, best first."""
        return list(dict.fromkeys(hit.path for hit in self.asked(words).hits))

    def lexical(self) -> IndexSearch:
        return IndexSearch(self.workspace, vectors=False)

    def hybrid(self) -> IndexSearch:
        return IndexSearch(self.workspace, model=self.model.choice)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty workspace."""
    return Memory(tmp_path / "agent")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A small workspace with its index."""
    memory.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4411")
    memory.write(
        "memory/2026-03-14.md",
        "**Sarah Chen:** moved the launch to April",
        "Restarted the ingest worker after ERR_CONNECTION_REFUSED",
        "Read https://example.org/docs/retry?x=1 about back-off",
    )
    pairing = "Paired with Miguel on snake_case names"
    memory.write("memory/2026-03-15.md", pairing, "今天修复了登录模块的超时问题")
    memory.write("memory/projects/atlas.md", "Atlas runs on PostgreSQL 17", "Deploys happen on Tuesdays")
    memory.reindex()
    return memory


class Owner:
    """Whoever the memory belongs to, with settings of their own."""

    def __init__(self, home: Path, root: Path) -> None:
        self._home = home
        self._root = root

    def opens(self, **settings: object) -> Memory:
        """Their memory, opened with these settings."""
        (self._home / "settings.yaml").write_text(json.dumps(settings, default=os.fspath))
        return Memory(self._root)


@pytest.fixture
def owner(memory: Memory, person: Path) -> Owner:
    """The owner of ``memory``."""
    return Owner(person, memory.root)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of notes outside of the workspace."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "garden.md").write_text("# Garden\n\n- The quokka likes figs\n- Water on Mondays\n")
    return folder


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder of sessions as an agent keeps them."""
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    said = claw(("user", "Where is the axolotl?"), ("assistant", "In the pond"))
    (folder / "s91.jsonl").write_bytes(said)
    return folder


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which the default model is prepared; shared by all workers of a run."""
    cache = shared_cache(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_CACHE", str(cache))
        open_embedder()
        assert prepared_folder(locate()).is_dir(), "the model was not prepared"
    return cache


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A very small sentence-transformers model with random weights, 16 dimensions and a window of 32."""
    return make_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def real_model(model_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default model, prepared; do not damage what is in this folder."""
    monkeypatch.setenv("WORKBENCH_CACHE", str(model_cache))
    return model_cache


@pytest.fixture
def own_model(model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the prepared model, to be damaged."""
    cache = tmp_path / "cache"
    # What another test prepares at this moment, or was killed over, is none of it.
    shutil.copytree(model_cache, cache, ignore=shutil.ignore_patterns(".preparing-*"))
    monkeypatch.setenv("WORKBENCH_CACHE", str(cache))
    return cache
