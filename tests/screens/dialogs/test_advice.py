"""What is said to do about a refusal can be done where it is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screens.dialogs.dialog import advice, in_keys
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox
from workbench import operations
from workbench.errors import WorkbenchError

_HINT = re.compile(r'hint=f?"([^"]+)"')


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("`workbench redo` redoes it", "U redoes it"),
        ("`workbench quarantine --release` brings it back first", "x brings it back first"),
        ("the others: `workbench promote ENTRY --into ENTRY`", "the others: t"),
        ("release all of it: workbench quarantine --release a/b.md", "release all of it: x"),
        ("nothing was changed; `workbench restore x --at ...` brings it back", "nothing was changed"),
        ("choose a file (--to) or a heading (--heading)", "choose a file or a heading"),
        ("run `workbench init` in it to make one", "run `workbench init` in it to make one"),
        ("git fetch --unshallow fetches the rest of it", "git fetch --unshallow fetches the rest of it"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_command_is_told_as_its_key_and_left_out_where_there_is_none(hint: str, told: str) -> None:
    assert advice(WorkbenchError("no", hint=hint)) == told


def test_no_hint_of_an_action_names_an_option_of_the_command_line() -> None:
    folder = Path(operations.__file__).parent
    hints = [hint for source in folder.glob("*.py") for hint in _HINT.findall(source.read_text("utf-8"))]
    told = [str(advice(WorkbenchError("no", hint=hint))) for hint in hints]
    assert len(hints) > 20
    assert [text for text in told if re.search(r"(^| )--[a-z]|workbench [a-z]", text)] == []


async def test_an_archive_with_nothing_to_do_says_to_choose_entries(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("A")
        await interface.until_said("nothing to archive")
        assert "choose entries" in interface.toasts


def test_a_note_names_the_key_of_the_panes_and_keeps_what_is_only_quoted() -> None:
    note = "over its budget: MEMORY.md; `workbench archive --dry-run` shows what could make room"
    assert in_keys(note) == "over its budget: MEMORY.md; A in the panes shows what could make room"
    assert in_keys("left out: “workbench undo is handy”") == "left out: “workbench undo is handy”"
