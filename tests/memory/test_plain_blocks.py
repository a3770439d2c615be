"""Plain blocks are read without the parser, and as the parser reads them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from workbench.memory import markdown
from workbench.memory.entry import RelPath
from workbench.memory.markdown import Document, parse_document
from workbench.memory.plain_blocks import PlainBlocks, plain_blocks
from workbench.workspace.layout import USUAL

PATH = RelPath("graph/person/ann.md")
STARTS = [
    "- ", "  ", "-", "* ", "+ ", "1. ", "2. ", "10) ", "  - ", "   - ", " ", "    ", "\t", "> ", "# ", "## ",
    "###### ", "-  ", "- \t", "- [ ] ", "- - ", "* * ", "",
]  # fmt: skip
WORDS = [
    "[fact] Lives in Oslo", "**Sarah:** I prefer tea", "10:00 planning", "Words", "More words", "b ## ", "C#",
    "works_on [[Atlas]] <!-- wb: id=r1 valid_from=2026-01-01 -->", "> quote", "```",
    "~~~", "<div>", "<!--", "-->", "<!-- wb: id=x -->", "---", "- -", "--", "===", "a | b", "--- | ---",
    "| a |", "[x]: /url", "# head", "1. one", "森田", "é", "\u2028x", "\x0cx", "\x85", "\udc80", "a\rb",
    "09:14 did", "3.5 x", "12. c", "**bold** x", "* x", "_x_", "`x` y", "```py", "````", "***", "- - -",
    "|---|", "- | -", ":-- | --", "</div>", "<b>x</b>", "====", "---x", "(x)", "!x", "-5", "=", "1.", "",
    "x  ", "\\", "&amp;", "`code", "", " ", "\N{NO-BREAK SPACE}x", "A" * 1200, "Z. " * 600,
]  # fmt: skip
HEADERS = ["", "---\nname: Ann\n---\n", "---\nname: [\n---\n", "\ufeff", "---\n", "---\nname: x\n---"]
LINES = st.lists(
    st.tuples(st.sampled_from(STARTS), st.sampled_from(WORDS) | st.text(max_size=8)), max_size=12
)
ITEMS = st.lists(st.tuples(st.just("- "), st.sampled_from(WORDS) | st.text(max_size=8)), max_size=6)


def by_the_parser(data: bytes) -> Document:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "plain_blocks", lambda _, at, line: PlainBlocks([], at, line))
        patch.setattr(markdown, "restart", lambda data, _: len(data))
        return parse_document(PATH, data, USUAL.kind_of(PATH))


@settings(max_examples=150, deadline=None)
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
    assert parse_document(PATH, data, USUAL.kind_of(PATH)) == by_the_parser(data)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_the_same_with_and_without_the_parser(data: bytes) -> None:
    assert parse_document(PATH, data, USUAL.kind_of(PATH)) == by_the_parser(data)
    assert parse_document(PATH, b"- x\n" + data, USUAL.kind_of(PATH)) == by_the_parser(b"- x\n" + data)


def lines_of(data: bytes, body: int = 0) -> list[tuple[str, int, int]]:
    found = plain_blocks(data, body, data.count(b"\n", 0, body))
    assert found.end == len(data)
    return [(form.value, first, last) for form, first, last, *_ in found.blocks]


def test_a_page_of_the_graph_is_plain() -> None:
    data = b"---\nname: Ann\n---\n- [fact] x\n\n- works_on [[Atlas]] <!-- wb: id=1 -->\n- \xe6\xa3\xae\n"
    assert lines_of(data, data.index(b"- [")) == [("item", 3, 4), ("item", 5, 6), ("item", 6, 7)]


def test_a_comment_below_an_item_belongs_to_it() -> None:
    data = b"- works_on [[Atlas]]\n  <!-- wb: id=1 -->\n- [fact] x\n"
    assert lines_of(data) == [("item", 0, 2), ("item", 2, 3)]


def test_a_log_of_headings_items_and_paragraphs_is_plain() -> None:
    data = b"# 2026-03-14\n\n## 10:00 planning\n- **Sarah:** tea\n- [x] done\n\nWords\nand words\n- item\n"
    assert lines_of(data) == [
        ("heading", 0, 1), ("heading", 2, 3), ("item", 3, 4), ("item", 4, 5), ("paragraph", 6, 8),
        ("item", 8, 9),
    ]  # fmt: skip


def test_times_nested_items_quotes_and_code_are_plain() -> None:
    data = b"- 09:14 x\n  - y\n\n  z\n1. one\n10. ten\n    more\n\n> q\n> r\n\n"
    data += b"```sh\n- no item\n\n```\nWords\n\n---\n# E\n"
    assert lines_of(data) == [
        ("item", 0, 4), ("item", 4, 5), ("item", 5, 7), ("quote", 8, 10), ("code", 11, 15),
        ("paragraph", 15, 16), ("heading", 18, 19),
    ]  # fmt: skip


def test_the_parser_reads_no_more_than_what_is_not_plain() -> None:
    given: list[str] = []

    def read(text: str, *rest: list[Token]) -> list[Token]:
        given.append(text)
        return parsed(text, *rest)

    parsed = markdown._parsed
    items = b"".join(b"- %d items of a long log\n" % number for number in range(2000))
    data = items + b"\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + items
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "_parsed", read)
        document = parse_document(PATH, data, USUAL.kind_of(PATH))
    assert len(document.blocks) == 4001
    assert sum(map(len, given)) < len(data) / 50


@pytest.mark.parametrize(
    "line",
    [
        b"# x #", b"#x", b"- - x", b"- ", b"- \x0bx", b"x", b"- x\r", b" x", b" - x", b"===", b"---",
        b"| - |", b"<b>", b"2. x\n  - y", b"09:00",
    ],
)  # fmt: skip
def test_whatever_could_be_something_else_is_left_to_the_parser(line: bytes) -> None:
    data = b"- a\n" + line + b"\n- b\n"
    assert plain_blocks(data, 0, 0).end < len(data)
