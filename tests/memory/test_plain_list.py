"""A plain list is read without the parser, and as the parser reads it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.memory import markdown
from workbench.memory.markdown import Document, parse_document
from workbench.memory.names import RelPath
from workbench.memory.plain_list import plain_lines
from workbench.workspace.layout import kind_of

PATH = RelPath("graph/person/ann.md")
STARTS = [
    "- ",
    "  ",
    "-",
    "* ",
    "+ ",
    "1. ",
    "  - ",
    "    ",
    "\t",
    "> ",
    "# ",
    "## ",
    "###### ",
    "-  ",
    "- \t",
    "",
]
WORDS = [
    "[fact] Lives in Oslo", "**Sarah:** I prefer tea", "10:00 planning", "Words", "More words", "b ## ", "C#",
    "works_on [[Atlas]] <!-- wb: id=r1 valid_from=2026-01-01 -->", "> quote", "```",
    "~~~", "<div>", "<!--", "-->", "<!-- wb: id=x -->", "---", "- -", "--", "===", "a | b", "--- | ---",
    "| a |", "[x]: /url", "# head", "1. one", "森田", "é", "\u2028x", "\x0cx", "\x85", "\udc80", "a\rb",
    "x  ", "\\", "&amp;", "`code", "", " ", "\N{NO-BREAK SPACE}x", "A" * 1200, "Z. " * 600,
]  # fmt: skip
HEADERS = ["", "---\nname: Ann\n---\n", "---\nname: [\n---\n", "\ufeff", "---\n", "---\nname: x\n---"]
LINES = st.lists(st.tuples(st.sampled_from(STARTS), st.sampled_from(WORDS) | st.text(max_size=8)), max_size=6)
ITEMS = st.lists(st.tuples(st.just("- "), st.sampled_from(WORDS) | st.text(max_size=8)), max_size=6)


def by_the_parser(data: bytes) -> Document:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "plain_lines", lambda *_: None)
        return parse_document(PATH, data, kind_of(PATH))


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(HEADERS), LINES | ITEMS, st.sampled_from(["\n", "\n\n", "\r\n"]), st.booleans())
@example("", [("- ", "<!--"), ("- ", "x -->")], "\n", True)
@example("", [("- ", "A"), ("", "")], "\n", False)
@example("", [("- ", "A"), ("  ", "<!-- wb: id=x -->"), ("- ", "B")], "\n", True)
@example("", [("- ", "A"), ("  ", "<!-- wb: id=x -->")], "\n", False)
@example("", [("- ", "`a"), ("  ", "<!-- wb: id=` -->"), ("", ""), ("- ", "B")], "\n", True)
def test_a_page_is_the_same_with_and_without_the_parser(
    header: str, lines: list[tuple[str, str]], end: str, closed: bool
) -> None:
    text = header + end.join(start + words for start, words in lines) + (end if closed else "")
    data = text.encode("utf-8", "surrogatepass")
    assert parse_document(PATH, data, kind_of(PATH)) == by_the_parser(data)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_the_same_with_and_without_the_parser(data: bytes) -> None:
    assert parse_document(PATH, data, kind_of(PATH)) == by_the_parser(data)
    assert parse_document(PATH, b"- x\n" + data, kind_of(PATH)) == by_the_parser(b"- x\n" + data)


def test_a_page_of_the_graph_is_a_plain_list() -> None:
    data = b"---\nname: Ann\n---\n- [fact] x\n\n- works_on [[Atlas]] <!-- wb: id=1 -->\n- \xe6\xa3\xae\n"
    assert plain_lines(data, data.index(b"- [")) == [("-", 3, 4), ("-", 5, 6), ("-", 6, 7)]


def test_a_comment_below_an_item_belongs_to_it() -> None:
    data = b"- works_on [[Atlas]]\n  <!-- wb: id=1 -->\n- [fact] x\n"
    assert plain_lines(data, 0) == [("-", 0, 2), ("-", 2, 3)]


def test_a_log_of_headings_items_and_paragraphs_is_plain() -> None:
    data = b"# 2026-03-14\n\n## 10:00 planning\n- **Sarah:** tea\n- [x] done\n\nWords\nand words\n- item\n"
    assert plain_lines(data, 0) == [
        ("#", 0, 1), ("#", 2, 3), ("-", 3, 4), ("-", 4, 5), ("p", 6, 8), ("-", 8, 9),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"# x #",
        b"#x",
        b"- - x",
        b"- 1",
        b"  - x",
        b"- ",
        b"- \x0bx",
        b"x",
        b"- x\r",
        b"* x",
        b"- > x",
        b"===",
    ],
)
def test_whatever_could_be_something_else_is_left_to_the_parser(line: bytes) -> None:
    assert plain_lines(b"- a\n" + line + b"\n- b\n", 0) is None
