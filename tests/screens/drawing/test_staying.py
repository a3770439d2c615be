"""Where the cursor belongs when rows are replaced: never on another entry because it has the same name."""

from __future__ import annotations

import pytest

from screens.drawing.cursor import place_of
from screens.drawing.safe_text import Row
from screens.panes.entry_rows import entry_row
from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import parse_document

PATH = RelPath("memory/2026-03-14.md")


def rows_of(*texts: str) -> list[Row]:
    lines = "".join(f"- {text}\n" for text in texts)
    document = parse_document(PATH, lines.encode(), Kind.LOG)
    return [entry_row(entry, depth=0) for entry in document.entries]


@pytest.mark.parametrize(
    ("before", "cursor", "after", "lands"),
    [
        (("same", "tea", "same", "milk"), 0, ("tea", "same", "milk"), 0),
        (("same", "tea", "same", "milk"), 2, ("tea", "same", "milk"), 1),
        (("same", "tea", "same", "milk"), 2, ("same", "tea", "milk"), 2),
        (("same", "tea", "same", "milk"), 0, ("same", "tea", "milk"), 0),
        (("milk", "same"), 1, ("same", "milk", "same"), 2),
        (("same", "same", "tea"), 0, ("same", "tea"), 0),
        (("tea", "same", "milk", "same"), 3, ("tea", "same", "milk"), 2),
        (("same", "tea"), 0, ("tea",), 0),
    ],
)
def test_of_entries_with_the_same_words_the_cursor_stays_with_the_one_it_was_on(
    before: tuple[str, ...], cursor: int, after: tuple[str, ...], lands: int
) -> None:
    assert place_of(rows_of(*before), cursor, rows_of(*after)) == lands


def test_what_was_reworded_keeps_the_cursor() -> None:
    before = rows_of("The staging port of the harbour is 8443 since March", "tea")
    after = rows_of("milk", "The staging port of the harbour is 8444 since March", "tea")
    assert place_of(before, 0, after) == 1
