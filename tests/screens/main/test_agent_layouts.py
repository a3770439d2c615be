"""The interface on the memory of every agent: what is found is promoted and undone to the last byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.interface import opened
from tests.support.agent_memories import EVERY, MEMORY_BANK, AgentMemory, write_agent_memory
from workbench.workspace.workspace import Workspace

PORT = "The staging port is 8443"


BESIDE = (".git", ".workbench")


def written(root: Path) -> dict[str, bytes]:
    """All files but those of git and of the program."""
    files = {path.relative_to(root): path for path in root.rglob("*") if path.is_file()}
    return {str(name): path.read_bytes() for name, path in files.items() if name.parts[0] not in BESIDE}


@pytest.mark.parametrize("memory", EVERY, ids=lambda one: one.layout)
async def test_what_is_found_is_promoted_and_undone_to_the_last_byte(
    person: Path, tmp_path: Path, memory: AgentMemory
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    root = write_agent_memory(memory, tmp_path / "place", repository=False)
    before = written(root)
    async with opened(Workspace.open(root), engines=True) as interface:
        await interface.press("slash")
        await interface.type("staging port")
        hits = interface.main.overlay.hits
        await interface.until(lambda: any(PORT in row.text for row in hits.rows), "the port is found")
        await interface.press("enter")
        await interface.until(
            lambda: (row := interface.main.here.row) is not None and PORT in row.text, "the cursor is on it"
        )
        await interface.press("p")
        if memory.memory and memory.source:
            await interface.until_said("Promoted")
            assert PORT in (root / memory.memory).read_text(encoding="utf-8")
            await interface.press("u")
            await interface.until_said("Undone")
        else:
            await interface.until_said("workbench init")
    assert written(root) == before


async def test_of_several_memory_files_each_is_shown_and_found(person: Path, tmp_path: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    root = write_agent_memory(MEMORY_BANK, tmp_path / "place", repository=False)
    bold = "# **Patterns**\n\n## **1. Buses**\n\n- Uses NATS\n\n## 2. Ports\n\n- None yet\n"
    (root / "memory-bank/systemPatterns.md").write_text(bold)
    async with opened(Workspace.open(root), (140, 40), engines=True) as interface:
        await interface.until_shown("Other memory files")
        await interface.until_shown(
            "memory-bank/activeContext"
        )  # there are no logs: it is open from the start
        await interface.until_shown("1. Buses")
        assert "**" not in interface.text
        await interface.press("slash")
        await interface.type("basket")
        hits = interface.main.overlay.hits
        await interface.until(lambda: any("basket" in row.text for row in hits.rows), "it is found")
        await interface.press("enter")
        await interface.until(
            lambda: (row := interface.main.here.row) is not None and "basket" in row.text,
            "the cursor is on it",
        )
        assert interface.main.pane.NAME == "Logs"
