"""What the words in the box mean, while they are typed."""

from __future__ import annotations

from datetime import date

import pytest

from indexing.query.question import understand
from screens.search.explanation_screen import LANGUAGE, language_rows
from screens.search.parsed_query import NAMES, going_on, marked, offered, read, unfinished
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

TODAY = date(2026, 3, 20)


def chips(text: str) -> list[str]:
    return [chip.text for chip in read(text, TODAY).chips]


def continued(text: str) -> str:
    one = unfinished(text)
    return going_on(text, offered(one, TODAY) if one else ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("door code", []),
        ('"door code" -staging', ["“door code”", "not staging"]),
        ("atlas kind:log,note", ["kind log or note"]),
        ("since:2026-03-01 until:2026-03-10", ["since 2026-03-01", "until 2026-03-10"]),
        ("since:2026-03-01 until:2026-03-01", ["on 2026-03-01"]),
        ("-kind:dream pinned:yes", ["pinned", "not kind dream"]),
        ("as-of:2026-03-01 tea", ["as of 2026-03-01"]),
    ],
)
def test_conditions_are_said_in_words(text: str, said: list[str]) -> None:
    assert chips(text) == said


def test_what_is_not_understood_is_noted_once_it_is_finished() -> None:
    assert any("kind:foo" in note for note in read("kind:foo tea", TODAY).notes)
    assert read("tea kind:fo", TODAY).notes == ()


def test_conditions_alone_are_no_words() -> None:
    assert read("kind:log", TODAY).wordless
    assert not read("kind:log tea", TODAY).wordless
    assert not read("  ", TODAY).wordless


def test_only_what_is_understood_is_marked() -> None:
    text = 'tea kind:log kind:foo "as it stands" -not rm -rf'
    assert {text[start:end]: sort for start, end, sort in marked(text, TODAY)} == {
        "kind:log": "field",
        '"as it stands"': "phrase",
        "-not": "not",
    }


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("ki", "kind:"),
        ("atlas si", "atlas since:"),
        ("-ki", "-kind:"),
        ("kind:lo", "kind:log"),
        ("kind:log,no", "kind:log,note"),
        ("-kind:dr", "-kind:dream"),
        ("trust:un", "trust:unknown"),
        ("pinned:y", "pinned:yes"),
        ("k", ""),
        ("taki", ""),
        ("kind:log", ""),
        ("atlas", ""),
        ("http://ki", ""),
    ],
)
def test_names_and_values_are_continued(text: str, whole: str) -> None:
    assert continued(text) == whole


def test_every_example_of_the_page_is_understood_as_a_condition_or_is_words() -> None:
    for asked in [*LANGUAGE.values()][1:]:
        for text in asked:
            question = understand(text, TODAY)
            assert question.narrows or question.as_of, text
            assert question.notes == (), text


def test_the_page_names_every_field() -> None:
    page = "\n".join(row.id for row in language_rows())
    assert all(f"{name}:" in page for name in NAMES)


@pytest.mark.parametrize(
    "text", ['"', "-", "kind:", 'kind:"', "as-of:", "::::", "-\"'", "[/]", "\x00kind:log", "ｋｉｎｄ:log"]
)
def test_any_text_can_be_typed(text: str) -> None:
    read(text, TODAY)
    marked(text, TODAY)
    continued(text)


@pytest.mark.parametrize("width", [120, 140, 100, 80, 60, 48])
async def test_the_page_is_read_whole_at_any_width(sandbox: Sandbox, width: int) -> None:
    async with opened(sandbox.workspace, size=(width, 60)) as interface:
        await interface.press("slash", "f1")
        await interface.until_shown("until:2026-03-14")
        page = interface.app.screen.query_one("#language-rows").region
        lines = interface.text.splitlines()[page.y : page.bottom]
        ends = [line[page.x : page.right].rstrip(" ▂▁▃▄▅▆▇█") for line in lines]
        assert any(ends)
        assert not [line for line in ends if line.endswith("…")]
