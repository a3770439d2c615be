"""Memory of a newer program: the interface shows it, says why nothing can be done, and does nothing."""

from __future__ import annotations

import pytest

from tests.screens.interface import opened
from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.format_version import FORMAT
from workbench.workspace.workspace import Workspace


@pytest.mark.promise(
    "Formats, and other programs",
    "memory of a newer format, also one that a pull brings while the program runs",
)
async def test_it_is_shown_read_only_with_the_reason(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", f"format: {FORMAT + 1}\n")
    sandbox.commit("a newer program")
    async with opened(Workspace.open(sandbox.root)) as interface:
        await interface.until_shown(
            f"This memory has format {FORMAT + 1}, and this program supports up to {FORMAT}"
        )
        await interface.until_shown("staging port")
        await interface.go_to("staging port")
        await interface.press("p")
        await interface.until_said(f"This memory has format {FORMAT + 1}")
        assert "p promote" not in interface.text
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert sandbox.read(LOG)
    assert sandbox.git("status", "--porcelain") == ""
