"""What the interface must not do twice, or to more than what changed: counted, never timed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from screens.loading.reader import WorkspaceReader
from screens.loading.workspace_model import FilesChanged
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox
from themes import BUILT_IN, Themes


@contextmanager
def counted(patch: pytest.MonkeyPatch, name: str) -> Iterator[list[Any]]:
    """The arguments of every call of a method of the style sheet."""
    calls: list[Any] = []
    method = getattr(Stylesheet, name)

    def noting(sheet: Stylesheet, *positional: Any, **named: Any) -> Any:
        calls.extend(positional)
        calls.append(None)
        return method(sheet, *positional, **named)

    with patch.context() as within:
        within.setattr(Stylesheet, name, noting)
        yield calls


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_the_style_sheet_is_read_for_the_theme_of_the_settings_at_once(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    sandbox.workspace.settings = replace(sandbox.workspace.settings, theme=theme)
    with counted(monkeypatch, "reparse") as calls:
        async with opened(sandbox.workspace) as interface:
            assert interface.app.theme == theme
            background = interface.app.theme_variables["background"]
    assert not calls
    assert background.lower() == Themes((BUILT_IN,)).by_name[theme].colors["background"].lower()


async def test_another_theme_is_read_once(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(sandbox.workspace) as interface:
        with counted(monkeypatch, "reparse") as calls:
            interface.app.theming.use("light")
            await interface.pilot.pause()
    assert len(calls) == 1


async def test_the_focus_moves_on_without_styling_what_is_in_the_panes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write("MEMORY.md", "# Memory\n\n- Likes tea\n")
    async with opened(sandbox.workspace) as interface:
        await interface.press("tab")
        with counted(monkeypatch, "apply") as calls:
            await interface.press("tab")
            await interface.until(lambda: interface.main.panes[2].has_class("-within"), "it is brought out")
        styled = {node for node in calls if isinstance(node, DOMNode)}
        assert styled == {interface.main.panes[1], interface.main.panes[2]}
        assert not interface.main.panes[1].has_class("-within")


async def test_files_that_change_while_they_are_looked_at_are_looked_at_once_more(sandbox: Sandbox) -> None:
    """An operation and the watcher that sees it do not make each other begin anew."""
    said: list[object] = []
    sandbox.write("MEMORY.md", "# Memory\n\n- Likes tea\n")
    reading = WorkspaceReader(sandbox.workspace, said.append)
    looked = 0
    files = reading.store.files

    def looking() -> Any:
        nonlocal looked
        looked += 1
        return files()

    reading.store.files = looking  # type: ignore[method-assign]
    try:
        first = asyncio.create_task(reading.refresh())
        await asyncio.sleep(0)
        for _ in range(3):
            await reading.refresh()
        await first
        assert looked == 2
        assert sum(isinstance(message, FilesChanged) for message in said) == 1
        sandbox.write("memory/2026-11-22.md", "- New\n")
        await reading.refresh()
        assert sum(isinstance(message, FilesChanged) for message in said) == 2
    finally:
        reading.close()
