"""From bytes to entries."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.memory.edit import replaced
from workbench.memory.entry import Entry, Form, Kind, RelPath
from workbench.memory.markdown import Document, parse_document
from workbench.memory.model_window import WINDOW, word_pieces

PATH = RelPath("memory/2026-03-14-talk.md")


def parse(text: str | bytes, path: RelPath = PATH) -> Document:
    return parse_document(path, text if isinstance(text, bytes) else text.encode(), Kind.LOG)


def source(document: Document, entry: Entry) -> bytes:
    return document.data[entry.span.start : entry.span.end]


def test_each_block_of_a_real_log_is_one_entry_with_its_lines_and_heading() -> None:
    document = parse(
        "# Day\n\n## 10:00 talk\n\n- **Sarah:** hello\n  - nested\n\n  more of it\n- second\n\n"
        "1. one\n2. two\n\nA paragraph\nof two lines\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```py\n- not an item\n```\n\n> quoted\n\n<!-- a comment -->\n\n## Bare heading\n"
    )
    seen = [(e.form, e.start_line, e.end_line, e.text) for e in document.entries]
    assert seen == [
        (Form.ITEM, 5, 8, "**Sarah:** hello\n- nested\n\nmore of it"),
        (Form.ITEM, 9, 9, "second"),
        (Form.ITEM, 11, 11, "one"),
        (Form.ITEM, 12, 12, "two"),
        (Form.PARAGRAPH, 14, 15, "A paragraph\nof two lines"),
        (Form.TABLE, 17, 19, "| a | b |\n|---|---|\n| 1 | 2 |"),
        (Form.CODE, 21, 23, "```py\n- not an item\n```"),
        (Form.QUOTE, 25, 25, "quoted"),
        (Form.HTML, 27, 27, "<!-- a comment -->"),
        (Form.HEADING, 29, 29, "Bare heading"),
    ]
    assert document.entries[0].heading == ("Day", "10:00 talk")
    assert document.entries[-1].heading == ("Day",)
    assert {e.date for e in document.entries} == {date(2026, 3, 14)}


def test_link_definitions_stay_curatable() -> None:
    assert [e.text for e in parse("[atlas]: https://example.org\n").entries] == [
        "[atlas]: https://example.org"
    ]


def test_equal_texts_have_different_addresses() -> None:
    first, second = parse("- same\n- same\n").entries
    assert second.address == first.address + "~2"


def test_provenance_is_not_part_of_the_words_or_the_address() -> None:
    plain = parse("- Prefers async\n").entries[0]
    marked = parse("- Prefers async <!-- wb: id=m1 src=memory/a.md#L2 trust=owner -->\n").entries[0]
    assert (marked.text, marked.hash) == (plain.text, plain.hash)
    assert marked.provenance is not None
    assert (marked.provenance.trust, marked.provenance.source) == ("owner", "memory/a.md#L2")


def test_white_space_and_unicode_forms_do_not_change_an_address() -> None:
    assert parse("- cafe\u0301  au lait\n").entries[0].hash == parse("* café au lait\n").entries[0].hash


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf- bom\r\n- crlf\r\n",
        b"- mixed\n- ends\r\n- cr\ronly\n",
        b"- bad \xff\xfe bytes\n- nul \x00 byte\n",
        b"- form\x0cfeed\n- line\xe2\x80\xa8separator\n",
        b"- no end",
        b"",
        b"\n\n\n",
        b"---\nid: x\n---\n- after front matter\n",
        b"---\nunclosed: front matter\n- item\n",
    ],
)
def test_spans_hold_for_every_kind_of_line_end_and_byte(data: bytes) -> None:
    document = parse(data)
    for entry in document.entries:
        piece = source(document, entry)
        assert piece
        assert data.count(b"\n", 0, entry.span.start) == entry.start_line - 1
    rest = replaced(data, [(entry.span, b"") for entry in document.entries])
    assert len(rest) == len(data) - sum(len(source(document, e)) for e in document.entries)


def test_a_long_paragraph_becomes_parts_that_fit_the_window_and_lose_nothing() -> None:
    text = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(200))
    document = parse(f"- {text}\n  - nested tail\n")
    parts = document.entries
    assert len(parts) > 5
    assert [e.part for e in parts] == list(range(1, len(parts) + 1))
    assert {e.parts for e in parts} == {len(parts)}
    assert all(word_pieces(e.text) <= WINDOW for e in parts)
    assert b"".join(source(document, e) for e in parts) == document.data[2:]
    assert parts[-1].text.endswith("nested tail")


@pytest.mark.parametrize(
    "comment", [" <!-- wb: id=m1 src=memory/2026-03-01.md#L1-L9 trust=agent -->", " <!-- wb:abcdefgh -->"]
)
@pytest.mark.parametrize("after", ["harbour-line 0.", "harbour-line 40.", "harbour-line 199."])
def test_the_parts_of_a_long_entry_are_the_same_whatever_its_comment_says(comment: str, after: str) -> None:
    lines = [f"This is harbour-line {n}." for n in range(200)]
    bare = parse("- " + "\n  ".join(lines) + "\n").entries
    marked = parse("- " + "\n  ".join(line + comment * line.endswith(after) for line in lines) + "\n")
    assert [entry.text for entry in marked.entries] == [entry.text for entry in bare]
    assert b"".join(source(marked, entry) for entry in marked.entries) == marked.data[2:]


def test_a_line_of_five_megabytes_without_a_blank_is_divided() -> None:
    document = parse("x" * 5_000_000)
    assert b"".join(source(document, e) for e in document.entries) == document.data


MARKDOWN = st.lists(
    st.one_of(
        st.sampled_from(
            ["- item", "  - nested", "1. one", "# H", "## H2", "```", "| a |", "|---|", "> q", "---",
             "<!-- c -->", "", "", "    code", "* star", "text", "- [ ] todo", "===", "<div>", "[x]: y"]
        ),
        st.text(alphabet=st.characters(exclude_characters="\n"), max_size=30),
    ),
    max_size=25,
)  # fmt: skip


@given(MARKDOWN, st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=120, deadline=None)
def test_entries_never_overlap_and_removing_one_leaves_every_other_byte(
    lines: list[str], newline: str, closed: bool
) -> None:
    data = (newline.join(lines) + (newline if closed else "")).encode("utf-8", "replace")
    document = parse(data)
    at = 0
    for entry in document.entries:
        assert at <= entry.span.start < entry.span.end <= len(data)
        at = entry.span.end
        assert replaced(data, [(entry.span, b"")]) == data[: entry.span.start] + data[entry.span.end :]
        assert entry.start_line <= entry.end_line
    assert len({e.address for e in document.entries}) == len(document.entries)


@given(st.binary(max_size=300))
@settings(max_examples=120, deadline=None)
def test_any_bytes_are_a_document(data: bytes) -> None:
    for entry in parse(data).entries:
        entry.text.encode()  # always printable: no stray surrogate
