"""Another workspace in the place of the one that is shown: all of it, and never half of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from screens.dialogs.dialog import ChooseScreen
from screens.main.screen import MainScreen
from screens.widgets.entry_list import EntryList
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, Sandbox
from workbench.format_version import FORMAT
from workbench.workspace.registry import read_registry, register, registry_path


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Sandbox]:
    """A second workspace, with an entry that the first has too, and one of its own."""
    made = Sandbox(tmp_path / "other")
    made.write(LOG, "# 2026-03-14\n\n- The staging port is 8443\n- The broker is called Rosa\n")
    made.commit("its own")
    yield made
    made.close()


@pytest.fixture
def both(sandbox: Sandbox, other: Sandbox) -> Sandbox:
    """Both on the list: ``workspace`` and ``other``, which is returned."""
    register(sandbox.root)
    register(other.root)
    return other


async def choose(here: Interface, typed: str, shown: str) -> None:
    """Open the list, type, and take the row that says ``shown``."""
    await here.press("O")
    await here.until(lambda: isinstance(here.app.screen, ChooseScreen), "the list")
    await here.type(typed)
    rows = here.app.screen.query_one(EntryList)
    await here.until(lambda: any(shown in row.text for row in rows.rows), shown)  # its end may be cut off
    await here.press("enter")


async def arrived(here: Interface, root: Path) -> None:
    def there() -> bool:
        main = here.app.main
        return (
            here.app.screen is main
            and main.workspace.root == root
            and main.panes[1].list.empty != "reading …"
            and main.panes[0].list.row is not None
        )

    await here.until(there, f"{root} is shown")


async def test_the_list_names_the_one_that_is_shown_and_how_each_is_doing(
    sandbox: Sandbox, both: Sandbox
) -> None:
    reindex(both.workspace, vectors=False)
    async with opened(sandbox.workspace) as here:
        assert f"workspace · {sandbox.root}"[:60] in here.text  # a long path is cut
        await here.press("O")
        await here.until_shown("entries")
        await here.until_shown("no index yet")
        lines = here.text.splitlines()
        assert any("● workspace" in line and "no index yet" in line for line in lines)
        assert any("other" in line and "6 entries" in line and "●" not in line for line in lines)


async def test_choosing_one_shows_all_of_it_and_nothing_of_the_first(sandbox: Sandbox, both: Sandbox) -> None:
    before = sandbox.snapshot()
    async with opened(sandbox.workspace) as here:
        old = here.main
        await choose(here, "other", str(both.root))
        await arrived(here, both.root)
        assert " other · " in here.text
        await here.go_to("Rosa")
        await here.press("p")
        await here.until(lambda: "called Rosa" in (both.root / "MEMORY.md").read_text(), "promoted there")
        assert here.main is not old
        assert old not in here.app.screen_stack
        await here.until(lambda: not old.is_running, "the old screen has ended")
    assert sandbox.snapshot() == before
    assert both.git("log", "-1", "--format=%s").startswith("promote")


async def test_back_and_forth_leaves_no_thread_and_no_process(sandbox: Sandbox, both: Sandbox) -> None:
    import threading

    async with opened(sandbox.workspace) as here:
        ours = ("words", "curating", "reading", "history")

        def threads() -> int:
            return sum(thread.name.startswith(ours) for thread in threading.enumerate())

        for root in (both.root, sandbox.root, both.root, sandbox.root):
            here.app.switching.go(root)
            await arrived(here, root)
        await here.until(lambda: not here.app.switching._ending, "the old screens have ended")
        assert threads() <= 5
        await here.go_to("staging port")
        await here.press("p")
        await here.until(lambda: "staging port" in (sandbox.root / "MEMORY.md").read_text(), "acted here")


@pytest.mark.promise(
    "Several workspaces",
    "an action is running when another workspace is chosen",
    "it is finished first, in its own workspace",
    by="keys in one burst",
)
async def test_what_was_asked_for_before_is_done_before(sandbox: Sandbox, both: Sandbox) -> None:
    async with opened(sandbox.workspace) as here:
        await here.go_to("staging port")
        await here.press("p", "O")
        await here.until(lambda: isinstance(here.app.screen, ChooseScreen), "the list")
        await here.type("other")
        await here.press("enter")
        await arrived(here, both.root)
        assert "staging port" in (sandbox.root / "MEMORY.md").read_text()
        assert "staging port" not in (both.root / "MEMORY.md").read_text()


@pytest.mark.promise(
    "Several workspaces",
    "keys are pressed while another workspace is opened",
    "they act on neither, and a message says so",
    by="keys at once behind the choice",
)
async def test_keys_in_between_act_on_neither(sandbox: Sandbox, both: Sandbox) -> None:
    """The same entry is under the cursor before and after: nothing may happen to either."""
    first, second = sandbox.snapshot(), both.snapshot()
    async with opened(sandbox.workspace) as here:
        await here.go_to("staging port")
        here.app.switching.go(both.root)
        await here.press("d", "p", "d")
        await arrived(here, both.root)
        await here.until_said("were ignored")
    assert sandbox.snapshot() == first
    assert both.snapshot() == second


async def test_keys_behind_the_choice_act_on_neither(sandbox: Sandbox, both: Sandbox) -> None:
    first, second = sandbox.snapshot(), both.snapshot()
    async with opened(sandbox.workspace) as here:
        await here.go_to("staging port")
        await here.press("O")
        await here.until(lambda: isinstance(here.app.screen, ChooseScreen), "the list")
        here.app.screen.dismiss(f"open:{both.root}")
        await here.press("d", "d")
        await arrived(here, both.root)
    assert sandbox.snapshot() == first
    assert both.snapshot() == second


async def test_a_folder_that_vanished_is_said_and_what_is_shown_stays(
    sandbox: Sandbox, both: Sandbox
) -> None:
    async with opened(sandbox.workspace) as here:
        main = here.main
        shutil.rmtree(both.root)
        await here.press("O")
        await here.until_shown("`workbench workspaces remove other`")
        await here.press("escape")
        here.app.switching.go(both.root)  # gone between the list and the key
        await here.until_said("is not a folder")
        assert here.main is main
        await here.until(lambda: here.app.screen is main, "the panes")
        await here.go_to("staging port")
        await here.press("p")
        await here.until(lambda: "staging port" in (sandbox.root / "MEMORY.md").read_text(), "keys work")


async def test_a_workspace_that_cannot_be_opened_leaves_the_shown_one(
    sandbox: Sandbox, both: Sandbox
) -> None:
    (both.root / "workbench.yaml").write_text("exlude: [a]\n")
    async with opened(sandbox.workspace) as here:
        here.app.switching.go(both.root)
        await here.until_said("cannot set 'exlude'")
        assert here.main.workspace.root == sandbox.root


async def test_a_newer_format_is_told_and_shown_to_be_read(sandbox: Sandbox, both: Sandbox) -> None:
    (both.root / "workbench.yaml").write_text(f"format: {FORMAT + 1}\n")
    async with opened(sandbox.workspace) as here:
        await here.press("O")
        await here.until_shown("needs a newer version")
        await here.press("escape")
        here.app.switching.go(both.root)
        await arrived(here, both.root)
        assert here.main.workspace.root == both.root


async def test_a_folder_that_was_typed_is_opened_and_put_on_the_list(
    sandbox: Sandbox, other: Sandbox
) -> None:
    async with opened(sandbox.workspace) as here:
        await choose(here, str(other.root), "put it on the list as other")
        await arrived(here, other.root)
        await here.until_said("on the list as other")
        assert " other · " in here.text
    assert [one.name for one in read_registry().entries] == ["other"]


async def test_a_folder_can_be_opened_this_once(sandbox: Sandbox, other: Sandbox) -> None:
    async with opened(sandbox.workspace) as here:
        await here.press("O")
        await here.until_shown("put this one on the list, as workspace")
        await here.type(str(other.root))
        await here.until_shown("this once")
        await here.press("down", "enter")
        await arrived(here, other.root)
    assert not registry_path().exists()


async def test_a_folder_without_memory_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    async with opened(sandbox.workspace) as here:
        await choose(here, str(tmp_path / "bare"), "this once")
        await here.until_said("no agent memory")
        assert here.main.workspace.root == sandbox.root
    assert list((tmp_path / "bare").iterdir()) == []
    assert not registry_path().exists()


async def test_the_shown_one_is_put_on_the_list(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as here:
        await choose(here, "", "put this one on the list, as workspace")
        await here.until_said("on the list as workspace")
        await here.until_shown(f"workspace · {sandbox.root}"[:60])
    assert [one.root for one in read_registry().entries] == [sandbox.root]


async def test_who_only_looks_may_look_elsewhere_and_writes_no_list(
    sandbox: Sandbox, both: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = Sandbox(tmp_path / "third", repository=False)
    third.close()
    kept = registry_path().read_bytes()
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    async with opened(sandbox.workspace) as here:
        here.app.switching.go(both.root)
        await arrived(here, both.root)
        await here.until(lambda: here.main.operations.refusal, "it is read-only there too")
        await choose(here, str(third.root), "put it on the list")
        await arrived(here, third.root)
        await here.until_said("running read-only")
    assert registry_path().read_bytes() == kept


async def test_a_list_that_cannot_be_read_is_said(sandbox: Sandbox) -> None:
    registry_path().write_text("- a\n")
    async with opened(sandbox.workspace) as here:
        await here.press("O")
        await here.until_said("is not a list of workspaces")
        await here.press("j")
        assert isinstance(here.app.screen, MainScreen)


async def test_the_past_is_left_behind_with_the_workspace(sandbox: Sandbox, both: Sandbox) -> None:
    sandbox.write("memory/2026-03-15.md", "# 2026-03-15\n\n- new\n")
    sandbox.commit("more")
    async with opened(sandbox.workspace) as here:
        await here.press("left_square_bracket")
        await here.until(lambda: here.main.time_travel.away and here.main.time_travel.line.when, "the past")
        await choose(here, "other", str(both.root))
        await arrived(here, both.root)
        assert not here.main.time_travel.away
        assert here.main.time_travel.refusal is None
