"""The registry: everything is generated from it, nothing clashes, nothing is dead."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from screens.actions.registry import ACTIONS, Context, FocusContext, by_id, hints, key_table
from screens.drawing.safe_text import Row, words
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

NEVER = {"ctrl+h", "ctrl+m", "ctrl+j", "ctrl+i", "ctrl+s", "ctrl+a", "ctrl+b", "ctrl+["}
ENTRY = Row("a", words("a"), address="memory/a.md#1", path="memory/a.md")
HERE = Context(place=FocusContext.PANE, row=ENTRY)


def test_ids_are_unique() -> None:
    assert len(by_id()) == len(ACTIONS)


def test_no_key_means_two_things_in_one_place() -> None:
    for place in FocusContext:
        keys = Counter(key for action in ACTIONS if place in action.places for key in action.keys)
        assert [key for key, count in keys.items() if count > 1] == []


def test_no_key_that_a_terminal_confuses() -> None:
    assert not NEVER & {key for action in ACTIONS for key in action.keys}


async def test_every_action_of_the_main_screen_does_something(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        places = {
            FocusContext.PANE,
            FocusContext.FILTER,
            FocusContext.FIND,
            FocusContext.QUERY,
            FocusContext.RESULTS,
        }
        needed = {action.id for action in ACTIONS if action.places & places}
        own = {name for name in needed if hasattr(interface.main, f"action_{name}")}
        assert needed == own | interface.main.commands.keys()


def test_disabled_actions_say_why() -> None:
    promote = by_id()["promote"].needs
    assert promote(HERE) is None
    assert "select an entry" in (promote(replace(HERE, row=None)) or "")
    assert "already" in (promote(replace(HERE, row=replace(ENTRY, done=True))) or "")
    assert promote(replace(HERE, refusal="no repository")) == "no repository"


def test_one_entry_at_a_time_is_edited_and_several_are_merged() -> None:
    edit, merge = by_id()["edit"].needs, by_id()["merge"].needs
    two = replace(HERE, marked=(ENTRY, replace(ENTRY, id="b")))
    assert edit(HERE) is None
    assert "one entry at a time" in (edit(two) or "")
    assert "whole page" in (edit(replace(HERE, row=replace(ENTRY, address="memory/a.md"))) or "")
    assert merge(two) is None
    assert "mark two" in (merge(HERE) or "")
    logs = [replace(ENTRY, id=f"l{n}", path="memory/2026-03-14.md") for n in range(2)]
    assert "their entries are not merged" in (merge(replace(HERE, marked=tuple(logs))) or "")
    assert merge(replace(HERE, marked=(*logs, replace(ENTRY, path="MEMORY.md")))) is None


def test_what_is_set_aside_is_released_before_it_is_promoted() -> None:
    aside = replace(ENTRY, path="_system/quarantine/2026-03.md")
    assert "x releases it" in (by_id()["promote"].needs(replace(HERE, row=aside)) or "")


def test_marks_go_before_the_cursor() -> None:
    other = replace(ENTRY, id="b")
    assert replace(HERE, marked=(other,)).targets == (other,)
    assert HERE.targets == (ENTRY,)
    here = replace(HERE, marked=(other, replace(ENTRY, id="c")))
    assert {("d", "forget 2"), ("p", "promote 2"), ("m", "merge 2")} <= set(hints(here))
    assert ("u", "undo") in hints(here)


def test_hints_name_only_what_can_be_done() -> None:
    assert ("p", "promote") in hints(HERE)
    assert ("p", "promote") not in hints(replace(HERE, refusal="no repository"))


def test_hints_while_typing_name_keys_that_are_not_text() -> None:
    assert ("F1", "help") in hints(replace(HERE, place=FocusContext.QUERY))
    assert ("?", "help") in hints(HERE)


def test_key_table_has_every_action() -> None:
    table = key_table()
    assert all(action.help in table for action in ACTIONS)
    assert "| `p` | Copy entries into MEMORY.md" in table
