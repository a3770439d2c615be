"""Taking entries out leaves everything around them what it was."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import NotCuratableError
from workbench.memory.edit import take_out
from workbench.memory.entry import Entry, Form, Kind, RelPath
from workbench.memory.invariants import blocks, sign, signs
from workbench.memory.markdown import Document, parse_document

WORDS = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(60))
CODE = "\n".join(f"line_{n} = compute(alpha, beta, {n})" for n in range(60))
TABLE = "| n | words |\n|---|---|\n" + "\n".join(f"| {n} | compute alpha beta |" for n in range(60))


def parse(text: str) -> Document:
    return parse_document(RelPath("memory/a.md"), text.encode(), Kind.NOTE)


def parts(document: Document) -> list[Entry]:
    return [entry for entry in document.entries if entry.parts > 1]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_last_part_leaves_the_line_end_that_the_next_block_needs(newline: str) -> None:
    text = f"- {WORDS}\n- next item\n\nPara {WORDS}\n\nNext para\n".replace("\n", newline)
    document = parse(text)
    for last in (entry for entry in document.entries if 1 < entry.part == entry.parts):
        after = take_out(document, [last]).decode()
        texts = [entry.text for entry in parse(after).entries]
        assert "next item" in texts
        assert "Next para" in texts
        assert len(after) == len(text) - (last.span.end - last.span.start) + len(newline)


def test_all_parts_together_are_the_whole_block_with_its_marker() -> None:
    document = parse(f"# d\n\n- {WORDS}\n- next\n\n```py\n{CODE}\n```\n\n> {WORDS}\n\nend\n")
    assert {entry.form for entry in parts(document)} == {Form.ITEM, Form.CODE, Form.QUOTE}
    assert take_out(document, parts(document)) == b"# d\n\n- next\n\n\n\nend\n"


@pytest.mark.parametrize("text", [f"```py\n{CODE}\n```\n", TABLE + "\n", f"<div>\n{CODE}\n</div>\n"])
def test_a_part_of_code_a_table_or_html_is_refused(text: str) -> None:
    document = parse(f"- first\n\n{text}\n- after\n")
    for part in parts(document):
        with pytest.raises(NotCuratableError, match="part of a long"):
            take_out(document, [part])
    assert parts(document)


def test_the_first_part_leaves_its_marker_to_the_rest() -> None:
    nested = "".join(f"  - nested {n} with some more words here\n" for n in range(60))
    document = parse(f"- first line\n{nested}- next\n\n> {WORDS}\n")
    for first in (entry for entry in parts(document) if entry.part == 1):
        after = parse(take_out(document, [first]).decode())
        assert {entry.form for entry in after.entries} == {Form.ITEM, Form.QUOTE}
        assert "next" in [entry.text for entry in after.entries]


def test_an_entry_named_twice_goes_once() -> None:
    document = parse("- a\n- b\n- c\n")
    assert take_out(document, [document.entries[0]] * 2) == b"- b\n- c\n"


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("Some paragraph\n- item\n---\nmore\n", "item", "Some paragraph\n\n---\nmore\n"),
        ("One\r\n- item\r\n***\r\n---\r\n", "item", "One\r\n***\r\n---\r\n"),
        ("one\n```\ncode\n```\ntwo\n", "code", "one\n\ntwo\n"),
        ("- item\n---\nid: x\n---\n", "item", "\n---\nid: x\n---\n"),
        ("- a\n- b\n- c\n", "b", "- a\n- c\n"),
    ],
)
def test_what_would_grow_together_is_kept_apart_by_a_blank_line(before: str, words: str, after: str) -> None:
    document = parse(before)
    entry = next(entry for entry in document.entries if words in entry.text)
    assert take_out(document, [entry]).decode() == after


@pytest.mark.parametrize(
    "text",
    [
        "- a\n\n```\nword\n```\n\n    indented code\n",  # the code would go on in the item
        "2) a\n\nword\n\n   1. b\n",  # the second list would be nested in the first
        "- a\n\nword\n\n  <!-- wb: trust=owner -->\n",  # the item would be given a provenance
    ],
)
def test_what_no_blank_line_keeps_apart_is_not_taken_out(text: str) -> None:
    document = parse(text)
    named = [entry for entry in document.entries if "word" in entry.text]
    with pytest.raises(NotCuratableError, match="around it"):
        take_out(document, named)


LINES = st.sampled_from(
    [
        "- item",
        "- other",
        "  - nested",
        "1. one",
        "# H",
        "```",
        "| a |",
        "|---|",
        "> q",
        "---",
        "",
        "",
        "text",
        "more",
        "    code",
        "  1. inner <!-- wb: trust=owner -->",
    ]
)


@given(st.lists(LINES, max_size=20), st.data())
@settings(max_examples=120, deadline=None)
def test_only_named_entries_lose_bytes_and_at_most_a_line_end_of_theirs_stays(
    lines: list[str], data: st.DataObject
) -> None:
    document = parse("\n".join(lines) + "\n")
    if not document.entries:
        return
    named = data.draw(st.lists(st.sampled_from(document.entries), min_size=1, max_size=3))
    spans = {entry.span for entry in named}
    try:
        after = take_out(document, named)
    except NotCuratableError:
        return
    stay = [sign(block) for block in blocks(document) if block[0].span not in spans]
    assert signs(parse_document(document.path, after, document.kind)) == stay
    gone = sum(span.end - span.start for span in spans)
    assert 0 <= len(after) - (len(document.data) - gone) <= len(spans)
    kept = Counter(document.data.split(b"\n"))
    for span in spans:
        kept.subtract(document.data[span.start : span.end].split(b"\n")[:-1])
    left = Counter(after.split(b"\n"))
    assert {line: n for line, n in left.items() if line} == {
        line: n for line, n in kept.items() if line and n
    }
