"""Markdown is drawn instead of written: words and lines stay where they are, marks become looks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from screens.drawing.safe_text import Shown, drawn, inline, line_text
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox


def parts(text: str, *, urls: bool = False) -> tuple[str, list[tuple[str, str]]]:
    said, spans = inline(Shown(text), urls=urls)
    return said, [(said[first:last], tone) for first, last, tone in spans]


def test_marks_of_a_line_become_looks() -> None:
    assert parts("a **b** and *c* or ~~d~~") == (
        "a b and c or d",
        [("b", "head"), ("c", "em"), ("d", "faint")],
    )
    assert parts("`**x**` stays") == ("`**x**` stays", [("`**x**`", "code")])
    assert parts("snake_case_word 2*3*4") == ("snake_case_word 2*3*4", [])


def test_marks_right_beside_chinese_japanese_and_korean_words_become_looks() -> None:
    assert parts("これは**重要**です、~~古い~~。") == (
        "これは重要です、古い。",
        [("重要", "head"), ("古い", "faint")],
    )
    assert parts("**重要。**です") == ("重要。です", [("重要。", "head")])
    assert parts("今天*修复*了") == ("今天修复了", [("修复", "em")])
    assert parts("데이터**백업**을") == ("데이터백업을", [("백업", "head")])
    assert parts("設定_名前_値 2*3*4") == ("設定_名前_値 2*3*4", [])


def test_a_link_says_where_to_in_the_preview() -> None:
    assert parts("see [docs](https://e.org/x)") == ("see docs", [("docs", "link")])
    assert parts("see [docs](https://e.org/x)", urls=True)[0] == "see docs (https://e.org/x)"
    assert parts("knows [[Acme]]") == ("knows [[Acme]]", [("[[Acme]]", "link")])


def test_the_columns_of_a_table_stand_under_each_other_in_any_script() -> None:
    rows = [text for text, _ in drawn([Shown("| a | bb |"), Shown("|---|:-:|"), Shown("| 日本語 | **x** |")])]
    assert [cell_len(row.split("│")[0].split("┼")[0]) for row in rows] == [8, 8, 8]
    assert "**" not in "".join(rows)


def table(*rows: str) -> list[str]:
    return [text for text, _ in drawn([Shown(row) for row in rows])]


def test_numbers_of_a_column_that_is_aligned_to_the_right_end_under_each_other() -> None:
    rows = table("| what | n |", "| :-- | --: |", "| tea | 7 |", "| rain | 1200 |")
    assert rows == [" what │    n", "──────┼──────", " tea  │    7", " rain │ 1200"]


def test_a_bar_that_is_escaped_is_a_part_of_its_cell() -> None:
    assert table("| a | b |", "|---|---|", r"| x \| y | z |")[2] == " x | y │ z"


def test_a_line_over_a_rule_of_signs_is_a_heading() -> None:
    lines = ["Ports", "=====", "", "Now", "---", "text", "", "---", "- item", "---"]
    looks = [(text, [tone for _, _, tone in spans]) for text, spans in drawn([Shown(line) for line in lines])]
    assert looks[:2] == [("Ports", ["title"]), ("=====", ["faint"])]
    assert looks[3:5] == [("Now", ["title"]), ("---", ["faint"])]
    assert all("title" not in tones for _, tones in looks[5:])
    code = ["```", "x", "---", "```"]
    assert all(tone != "title" for _, spans in drawn([Shown(line) for line in code]) for _, _, tone in spans)


def test_code_is_left_as_it_is() -> None:
    lines = ["```python", "x = a**b**c", "| no | table |", "| --- | --- |", "```", "**b**"]
    assert [text for text, _ in drawn([Shown(line) for line in lines])] == [*lines[:-1], "b"]


@given(st.lists(st.text(alphabet="ab*_`~[]()|#->!<日 \\", max_size=30), max_size=8))
def test_every_line_stays_one_and_its_looks_lie_within_it(lines: list[str]) -> None:
    found = list(drawn([line_text(line) for line in lines]))
    assert len(found) == len(lines)
    for text, spans in found:
        assert "\n" not in text
        assert all(0 <= first <= last <= len(text) for first, last, _ in spans)


async def test_the_preview_draws_markdown_and_finds_words_in_it(sandbox: Sandbox) -> None:
    sandbox.write(
        "MEMORY.md", "# Memory\n\n- Likes **strong tea** and `code`\n\n| a | b |\n|---|---|\n| tea | 1 |\n"
    )
    sandbox.commit("rich text")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2", "j")
        await interface.until_shown("3 ▎- Likes strong tea and `code`")
        await interface.until_shown("7   tea │ 1")
        strips = interface.text.split("\n")
        assert any("6  ─────┼───" in line for line in strips), "the rule of the table, with its line number"
        await interface.press("F")
        await interface.type("strong tea")
        await interface.until_shown("1/1")
