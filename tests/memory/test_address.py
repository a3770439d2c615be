"""Finding an entry by what it says."""

from __future__ import annotations

import pytest

from workbench.errors import EntryNotFoundError
from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import parse_document

DOCUMENT = parse_document(RelPath("memory/a.md"), b"- same\n- same\n", Kind.NOTE)


def test_an_ordinal_names_the_nth_of_equal_entries() -> None:
    first, second = DOCUMENT.entries
    assert DOCUMENT.find(f"{first.address}~1") == first
    assert DOCUMENT.find(f"{first.address}~2") == second


@pytest.mark.parametrize("ordinal", ["~" + "9" * 5000, "~0", "~3", "~", "~x", "~-1", "~²", "~1~1"])
def test_an_ordinal_that_is_none_finds_nothing(ordinal: str) -> None:
    with pytest.raises(EntryNotFoundError):
        DOCUMENT.find(DOCUMENT.entries[0].address + ordinal)
