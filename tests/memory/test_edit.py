"""Adding an item to a section touches nothing else."""

from __future__ import annotations

import pytest

from workbench.memory.edit import as_item, is_heading, replaced
from workbench.memory.entry import Form, Kind, RelPath, Span
from workbench.memory.markdown import parse_document
from workbench.memory.move import with_item
from workbench.memory.provenance import provenance

ORIGIN = provenance({"id": "m1", "src": "memory/a b.md#L3", "trust": "owner", "session": None})


def insert(text: str, section: str, words: str = "new") -> str:
    document = parse_document(RelPath("MEMORY.md"), text.encode(), Kind.MEMORY)
    return with_item(document, words, ORIGIN, section)[0].data.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## A\n\n- one\n\n## B\n\n- two\n", "## A\n\n- one\n- new\n\n## B\n\n- two\n"),
        ("## A\n\n## B\n", "## A\n\n- new\n\n## B\n"),
        ("## A\n## B\n", "## A\n\n- new\n\n## B\n"),
        ("## A\n\n- one", "## A\n\n- one\n- new\n"),
        ("## A\n\nprose\n", "## A\n\nprose\n\n- new\n"),
        ("## a\r\n\r\n- one\r\n", "## a\r\n\r\n- one\r\n- new\r\n"),
        ("", "## A\n\n- new\n"),
        ("# Memory\n", "# Memory\n\n## A\n\n- new\n"),
        ("# Memory", "# Memory\n\n## A\n\n- new\n"),
        ("## A\n\n- one\n### Deeper\n\n- two\n", "## A\n\n- one\n- new\n\n### Deeper\n\n- two\n"),
    ],
)
def test_an_item_joins_the_end_of_its_section(before: str, after: str) -> None:
    assert insert(before, "A").replace(f" {ORIGIN.render()}", "") == after


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("plain words", Form.ITEM),
        ("first\n- nested\n- more", Form.ITEM),
        ("two lines\nof prose", Form.PARAGRAPH),
        ("| a | b |\n|---|---|\n| 1 | 2 |", Form.TABLE),
        ("```py\nprint(1)\n\nprint(2)\n```", Form.CODE),
    ],
)
def test_every_form_of_entry_becomes_one_item_that_parses_back(text: str, form: Form) -> None:
    data = insert("## A\n\n- one\n\n## B\n\n- two\n", "A", text).encode()
    entries = parse_document(RelPath("MEMORY.md"), data, Kind.MEMORY).entries
    assert [e.heading[-1] for e in entries] == ["A", "A", "B"]
    assert entries[1].text.split() == text.split()
    assert entries[1].provenance is not None
    assert entries[1].provenance.source == "memory/a b.md#L3"


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```py\ncode\n```",
        "<!-- note\nmore -->",
        "words <!-- open\nmore -->",
        "title\n---",
        "> ```\n> code\n> ```",
    ],
)
def test_what_ends_where_its_line_ends_has_the_provenance_on_a_line_of_its_own(text: str) -> None:
    item = as_item(text, ORIGIN.render())
    lines = text.split("\n")
    assert item == "\n".join([f"- {lines[0]}", *(f"  {x}" for x in lines[1:]), f"  {ORIGIN.render()}", ""])
    data = insert("## A\n", "A", text).encode()
    assert parse_document(RelPath("MEMORY.md"), data, Kind.MEMORY).entries[0].text.split() == text.split()


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("first\n- nested", "- first @\n  - nested\n"),
        ("`open\nclose`", "- `open\n  close` @\n"),
        ("hard break\\\nnext\n\nsecond", "- hard break\\\n  next @\n\n  second\n"),
    ],
)
def test_the_provenance_ends_the_first_paragraph(text: str, item: str) -> None:
    assert as_item(text, ORIGIN.render()) == item.replace("@", ORIGIN.render())


def test_spans_that_overlap_are_not_cut() -> None:
    assert replaced(b"abcdef", [(Span(4, 5), b""), (Span(0, 2), b"x")]) == b"xcdf"
    for spans in ([Span(0, 2), Span(1, 3)], [Span(0, 2), Span(0, 2)], [Span(4, 9)]):
        with pytest.raises(ValueError, match="overlap"):
            replaced(b"abcdef", [(span, b"") for span in spans])


@pytest.mark.parametrize(
    "text", ["", "  ", "two\nlines", "bad\udcff", "\x1b[31m", "a\tb", "C #", "\u202e", "a <!-- wb: x=y -->"]
)
def test_what_is_not_one_visible_line_is_no_heading(text: str) -> None:
    assert not is_heading(text)


@pytest.mark.parametrize("text", ["Ports", "C#", "日本語 🎉", "*star*", "Key `x` & <b>"])
def test_one_visible_line_is_a_heading(text: str) -> None:
    assert is_heading(text)
