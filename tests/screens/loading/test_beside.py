"""Hits beside the workspace: an extra path and a session are shown, followed, and never acted on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from screens.drawing.safe_text import Row, words
from screens.loading.preview import preview_of
from screens.loading.workspace_model import Preview
from screens.main.index_monitor import watch
from tests.screens.interface import PATIENCE_SECONDS, opened
from tests.support.sessions import append, claw, plain
from tests.support.workspaces import Sandbox
from workbench.workspace.workspace import Workspace

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def notes(person: Path, tmp_path: Path) -> Path:
    folder, sessions = tmp_path / "notes", tmp_path / "sessions"
    folder.mkdir()
    sessions.mkdir()
    (folder / "garden.md").write_text(f"# Garden\n\n- The quokka likes figs\n- {TOKEN}\n- Water on Mondays\n")
    said = claw(("user", "Where is the axolotl?"), ("assistant", "In the pond.\nAsleep."), ("user", "Thanks"))
    (sessions / "s91.jsonl").write_bytes(said)
    (person / "settings.yaml").write_text(f"extra_paths: ['{folder}']\ntranscripts: ['{sessions}']\n")
    return folder


@pytest.fixture
def workspace(sandbox: Sandbox, notes: Path) -> Workspace:
    opened_again = Workspace.open(sandbox.root)
    reindex(opened_again, vectors=False)
    return opened_again


def shown(workspace: Workspace, asked: str) -> Preview:
    from indexing.search.answer import Query
    from indexing.search.index_search import IndexSearch

    hit = IndexSearch(workspace, vectors=False).search(Query(asked, mode="lexical")).hits[0]
    row = Row(hit.entry, words("x"), path=hit.path, address=hit.entry, line=hit.start_line)
    found = preview_of(workspace, row)
    assert found is not None
    return found


def test_a_note_beside_is_shown_among_its_lines(workspace: Workspace, notes: Path) -> None:
    preview = shown(workspace, "quokka")
    assert preview.where == f"{notes}/garden.md:3"
    assert dict(preview.facts)["outside"] == "of the workspace: read-only"
    assert preview.lines[preview.focus].text == "- The quokka likes figs"
    assert [line.number for line in preview.lines] == [1, 2, 3, 4, 5]


def test_a_session_is_shown_as_what_was_said(workspace: Workspace) -> None:
    preview = shown(workspace, "pond")
    assert [(line.number, line.text, line.role) for line in preview.lines] == [
        (2, "User: Where is the axolotl?", "context"),
        (3, "Assistant: In the pond.", "entry"),
        (None, "Asleep.", "entry"),
        (4, "User: Thanks", "context"),
    ]
    assert preview.lines[preview.focus].number == 3
    assert dict(preview.facts)["session"] == "s91"


def test_a_secret_beside_is_named_and_masked_as_anywhere(workspace: Workspace) -> None:
    assert shown(workspace, TOKEN).warnings == ("secret: GitHub token: ghp_…e5F6",)


def test_what_is_gone_or_a_link_is_not_shown(workspace: Workspace, notes: Path) -> None:
    row = Row("x", words("x"), path=f"{notes}/garden.md", address=f"{notes}/garden.md#0123456789ab")
    gone = preview_of(workspace, row)
    assert gone is not None
    assert "there is no entry" in gone.warnings[0]
    (notes / "garden.md").unlink()
    (notes / "garden.md").symlink_to("/etc/passwd")
    linked = preview_of(workspace, row)
    assert linked is not None
    assert linked.lines == ()


async def test_a_hit_beside_is_previewed_and_not_acted_on(workspace: Workspace, notes: Path) -> None:
    before = (notes / "garden.md").read_bytes()
    async with opened(workspace) as interface:
        await interface.press("/")
        await interface.type("quokka")
        await interface.until_shown(f"{notes}/garden.md:3")
        await interface.until_shown("outside of the workspace: read-only")
        await interface.press("tab", "d")
        await interface.until(lambda: "utside" in interface.toasts, "why not, in a toast")
    assert (notes / "garden.md").read_bytes() == before


def test_the_screen_is_told_of_its_own_files_and_of_what_is_worth_a_run_beside(
    workspace: Workspace, notes: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexing.sync.watch.RECONCILE_SECONDS", 0.2)
    changed, elsewhere = threading.Event(), threading.Event()
    stop = threading.Event()
    reports = changed.set, elsewhere.set, lambda _: None
    threading.Thread(target=watch, args=(workspace, stop, *reports), daemon=True).start()
    try:
        assert changed.wait(PATIENCE_SECONDS), "once, for what changed before"
        changed.clear()
        sandbox.write("memory/a.md", "- new\n")
        assert changed.wait(PATIENCE_SECONDS)
        changed.clear()
        reindex(workspace, vectors=False)
        append(notes.parent / "sessions" / "s91.jsonl", plain(("user", "one line")))
        assert not elsewhere.is_set()
        (notes / "garden.md").write_text("- changed\n")
        assert elsewhere.wait(PATIENCE_SECONDS)
        assert not changed.is_set()
    finally:
        stop.set()
