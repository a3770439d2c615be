"""What a row says of an entry: its first line that says something."""

from __future__ import annotations

import re

from workbench.memory.entry import Entry

_FENCE = re.compile(r"\s*(?:[-*+] +)?(?:`{3,}[^`]*|~{3,}.*)")


def title_of(entry: Entry) -> str:
    """The first line that holds words; of a block of code that of the code: fences are all the same."""
    if not _FENCE.fullmatch(entry.title):
        return entry.title
    lines = (line for line in entry.text.splitlines() if line.strip() and not _FENCE.fullmatch(line))
    return next(lines, entry.title).strip()
