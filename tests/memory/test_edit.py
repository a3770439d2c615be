"""Adding an item to a section touches nothing else."""

from __future__ import annotations

import pytest

from workbench.memory.edit import as_item, insert_item
from workbench.memory.entry import Form, Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance import provenance

ORIGIN = provenance({"id": "m1", "src": "memory/a b.md#L3", "trust": "owner", "session": None})


def insert(text: str, section: str, item: str = "- new\n") -> str:
    document = parse_document(RelPath("MEMORY.md"), text.encode(), Kind.MEMORY)
    return insert_item(document, section, item).decode()


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
    assert insert(before, "A") == after


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
    data = insert("## A\n\n- one\n\n## B\n\n- two\n", "A", as_item(text, form, ORIGIN)).encode()
    entries = parse_document(RelPath("MEMORY.md"), data, Kind.MEMORY).entries
    assert [e.heading[-1] for e in entries] == ["A", "A", "B"]
    assert entries[1].text.split() == text.split()
    assert entries[1].provenance is not None
    assert entries[1].provenance.source == "memory/a b.md#L3"
