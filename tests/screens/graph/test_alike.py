"""Pages alike in meaning are found with the real model; without one the screen says why they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.sync.run import reindex
from tests.screens.graph.looking import cursor_on, open_graph, texts, until_rows
from tests.screens.interface import opened
from tests.support.graph_pages import PAGES, TODAY, write_pages
from tests.support.tiny import make_tiny_model
from tests.support.workspaces import Sandbox
from workbench.workspace.workspace import Workspace

# The small model knows no sign of these names: to it both are the same unknown words.
ONE, OTHER = "graph/person/one.md", "graph/person/other.md"
TWO = {
    ONE: "---\nname: 王小明\ntype: person\n---\n- [fact] Speaks Dutch\n",
    OTHER: "---\nname: 佐藤健\ntype: person\n---\n- [fact] Speaks Danish\n",
}
PAIR = "佐藤健 ≟ 王小明"


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_TODAY", TODAY)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A very small model, made once."""
    return make_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def with_model(sandbox: Sandbox, person: Path, tiny: Path) -> Sandbox:
    (person / "settings.yaml").write_text(f"model: {tiny}\n")
    write_pages(sandbox, **TWO)
    return sandbox


async def test_names_that_mean_the_same_are_a_pair_that_can_be_decided(with_model: Sandbox) -> None:
    reindex(Workspace.open(with_model.root))
    async with opened(Workspace.open(with_model.root)) as interface:
        screen = await open_graph(interface, pages=len(PAGES) + len(TWO))
        await interface.press("D")
        await until_rows(interface, "meaning 100%")
        await until_rows(interface, "names and their meaning are compared")
        await cursor_on(interface, PAIR)
        assert "names" in next(text for text in texts(screen) if PAIR in text)
        await interface.press("x")
        await interface.until_said("are different")
        await until_rows(interface, PAIR, gone=True)
        await interface.press("u")
        await until_rows(interface, PAIR)


async def test_a_model_that_is_not_there_yet_is_said(
    with_model: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    async with opened(Workspace.open(with_model.root)) as interface:
        await open_graph(interface, pages=len(PAGES) + len(TWO))
        await interface.press("D")
        await interface.until_shown("no two pages look like the same entity")
        await interface.until_shown("the model is not prepared yet: `workbench reindex` does that")


async def test_where_there_is_no_model_at_all_it_is_said(with_model: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    async with opened(Workspace.open(with_model.root)) as interface:
        await open_graph(interface, pages=len(PAGES) + len(TWO))
        await interface.press("D")
        await interface.until_shown("their meaning is not:")
