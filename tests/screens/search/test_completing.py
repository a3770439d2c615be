"""Conditions are completed while they are typed: names, fixed values, and values that memory has."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from screens.search.parsed_query import choices, days, going_on, offered, taken, unfinished
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

TODAY = date(2026, 3, 20)


@pytest.mark.parametrize(
    ("text", "name", "begun"),
    [
        ("kind:", "kind", ""),
        ("port kind:lo", "kind", "lo"),
        ("kind:log,no", "kind", "no"),
        ("-path:mem", "path", "mem"),
        ('from:"two words", path:"my no', "path", "my no"),
        ('from:"two w', "from", "two w"),
        ("as-of:20", "as-of", "20"),
    ],
)
def test_the_condition_at_the_end_is_the_one_that_is_typed(text: str, name: str, begun: str) -> None:
    one = unfinished(text)
    assert one is not None
    assert (one.name, one.begun) == (name, begun)


@pytest.mark.parametrize("text", ["", "kind", "kind:log ", "http://x", 'from:"two words" ', "xkind:lo"])
def test_a_text_without_one_has_none(text: str) -> None:
    assert unfinished(text) is None


def test_a_day_is_offered_in_words_and_in_figures() -> None:
    one = unfinished("since:")
    assert one is not None
    assert [value for value, _ in offered(one, TODAY)] == list(days(TODAY))
    assert going_on("since:2", [("2w", 0)]) == "since:2w"


def test_a_value_with_a_blank_is_put_in_quotes() -> None:
    assert going_on("from:dai", [("daily notes", 1)]) == 'from:"daily notes"'
    assert going_on('from:"dai', [("daily notes", 1)]) == 'from:"daily notes"'


@pytest.mark.parametrize(
    ("text", "found", "becomes"),
    [
        ("from:s6", [("s64: gauge 7, twice", 8), ("s61", 4)], 'from:"s64: gauge 7, twice"'),
        ("port path:notes", [("memory/notes.md", 3)], "port path:memory/notes.md"),
        ("from:S6", [("s61", 4)], "from:s61"),
        ("from:s61", [("s61", 4), ("s612", 1)], "from:s612"),
        ("from:s6", [("s6\u202e", 4), ('s6"x', 3), ("s62", 1)], "from:s62"),
        ("from:s6", [("s6\u200b", 4)], ""),
        ("from:s6", [], ""),
    ],
)
def test_the_key_takes_the_first_value_that_can_be(
    text: str, found: list[tuple[str, int]], becomes: str
) -> None:
    assert going_on(text, found) == becomes
    one = unfinished(text)
    assert one is not None
    said = [part.text for part in choices(one, found)]
    value = taken(one, found)
    assert (value is None) == (not becomes) == ("→ takes it" not in said)
    if value is not None:  # it is said right behind the one that it takes
        assert said[list(map(str, said)).index("→ takes it") - 1].startswith(value)


@given(
    st.sampled_from(["from:", "port path:no", 'type:"pr', "-from:a,b"]),
    st.lists(st.tuples(st.text(min_size=1, max_size=12), st.integers(0, 9)), max_size=4),
)
def test_what_the_key_takes_is_finished_and_what_stood_before_it_stays(
    text: str, found: list[tuple[str, int]]
) -> None:
    one = unfinished(text)
    assert one is not None
    whole = going_on(text, found)
    assert not whole or whole.startswith(text[: one.at])
    assert not whole or any(value in whole for value, _ in found)


def test_values_are_those_that_entries_have(sandbox: Sandbox) -> None:
    sandbox.write("memory/research/ports.md", "- one\n- two\n")
    reindex(sandbox.workspace, vectors=False)
    search = IndexSearch(sandbox.workspace, vectors=False)
    assert search.values("path", "memory/re", 5) == (("memory/research/", 2), ("memory/research/ports.md", 2))
    assert [value for value, _ in search.values("path", "ports", 5)] == ["memory/research/ports.md"]
    assert search.values("path", "memory/", 1)[0][0] == "memory/"
    assert search.values("user", "", 5) == ()


async def test_a_path_is_completed_from_the_index_and_taken_with_a_key(sandbox: Sandbox) -> None:
    sandbox.write("memory/research/ports.md", "- The harbour is closed\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("harbour path:memory/re")
        await interface.until_shown("memory/research/ports.md (1)")
        await interface.until_shown("→ takes it")
        await interface.press("right")
        assert interface.main.overlay.input.value == "harbour path:memory/research/"
        await interface.until(lambda: len(interface.main.overlay.hits.rows) == 1, "the hit in that folder")


async def test_a_value_with_a_blank_is_taken_with_the_key_and_finds_its_entries(sandbox: Sandbox) -> None:
    origin = "src=s64:%20gauge%207%20incident"
    sandbox.write("memory/2026-03-15.md", f"# Day\n\n- The gauge broke <!-- wb: {origin} -->\n- Another\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("from:s6")
        await interface.until_shown("s64: gauge 7 incident (1)   → takes it")
        await interface.press("right")
        assert interface.main.overlay.input.value == 'from:"s64: gauge 7 incident"'
        await interface.until(lambda: len(interface.main.overlay.hits.rows) == 1, "the entry from there")
        await interface.press("left", "right")
        assert interface.main.overlay.input.value == 'from:"s64: gauge 7 incident"'


def test_a_finished_value_and_a_moment_leave_room_for_what_was_understood() -> None:
    for text, found in (("kind:log", [("log", 0)]), ("as-of:2026-03-01", [])):
        one = unfinished(text)
        assert one is not None
        assert choices(one, found) == ()


async def test_a_name_that_is_begun_is_offered_with_its_key(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("kin")
        await interface.until_shown("kind:   → takes it")


async def test_a_value_that_nothing_has_is_said_while_it_is_typed(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("from:nobody")
        await interface.until_shown("from: nothing has “nobody”")


async def test_hostile_names_are_shown_and_not_obeyed(sandbox: Sandbox) -> None:
    sandbox.write("memory/[@click=app.quit]x.md", "- one\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("path:memory/[")
        await interface.until_shown("memory/[@click=app.quit]x.md (1)")


async def test_without_an_index_typing_goes_on(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.type("path:me")
        await interface.until_shown("path: nothing has “me”")
        assert interface.main.overlay.input.value == "path:me"
