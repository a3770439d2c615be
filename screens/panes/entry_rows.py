"""One entry of memory as one row, the same in every pane."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from screens.drawing.rows import HIDDEN, PINNED, PROMOTED, Row, RowPart, Tone
from screens.drawing.safe_text import Shown, grouped, row_text, words
from screens.loading.origins import trust_of
from screens.loading.snapshots import Contents, Promoted
from workbench.memory.entry import Entry, Form
from workbench.safety.terminal import hidden

_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_TRUST: dict[str, Tone] = {"external": "warn", "quarantined": "bad"}
TRUSTS = ("owner", "agent", "external", "unknown")
"""How far an entry is trusted, as filters name it."""
_LOOKED_AT = 400


def entry_row(entry: Entry, *, depth: int, promoted: bool = False, tail: tuple[RowPart, ...] = ()) -> Row:
    """The row of an entry; ``tail`` follows the marks for hidden text, trust and promotion."""
    text, emphasis = lightened(row_text(title_of(entry)))
    marks: list[RowPart] = []
    if hidden(entry.text[:_LOOKED_AT]):
        marks.append(RowPart(words(f"{HIDDEN} hidden"), "warn"))
    marks += trust_marks(trust_of(entry))
    if promoted:
        marks.append(RowPart(PROMOTED, "good"))
    if entry.pinned:
        marks.append(RowPart(words(f"{PINNED} pinned"), "accent"))
    return Row(
        id=entry.address,
        text=text,
        tone="head" if entry.form is Form.HEADING else "text",
        depth=depth,
        tail=(*tail, *marks),
        emphasis=emphasis,
        path=entry.path,
        line=entry.start_line,
        address=entry.address,
        entry=entry,
        done=promoted,
        pinned=entry.pinned,
    )


def trust_marks(trust: str) -> tuple[RowPart, ...]:
    """The word for how far something is trusted, where there is reason to look twice."""
    return (RowPart(words(trust), _TRUST[trust]),) if trust in _TRUST else ()


def lightened(text: Shown) -> tuple[Shown, tuple[tuple[int, int, Tone], ...]]:
    """``text`` with ``**bold**`` drawn instead of written, as text and ranges."""
    if "**" not in text:
        return text, ()
    out: list[str] = []
    spans: list[tuple[int, int, Tone]] = []
    at = length = 0
    for found in _BOLD.finditer(text):
        before, inner = text[at : found.start()], found[1]
        out += [before, inner]
        start = length + len(before)
        length = start + len(inner)
        spans.append((start, length, "head"))
        at = found.end()
    out.append(text[at:])
    return Shown("".join(out)), tuple(spans)


def file_rows(contents: Contents | None, *, row_id: str, depth: int, promoted: Promoted) -> Iterator[Row]:
    """What is under an open file: its entries under their headings, or why there are none (yet)."""
    note = Row(f"{row_id}/note", words("reading …"), tone="faint", depth=depth, inert=True)
    if contents is None:
        yield note
        return
    if contents.problem:
        yield replace(note, text=row_text(contents.problem), tone="bad")
        return
    last: tuple[str, ...] = ()
    for number, entry in enumerate(contents.entries):
        heading = entry.heading
        if heading != last:
            last = heading
            if len(heading) > 1:  # the first level is the file's own title
                text = row_text(" › ".join(heading[1:]))
                yield Row(f"{row_id}/h{number}", text, tone="muted", depth=depth, inert=True)
        yield entry_row(entry, depth=depth, promoted=promoted.holds(entry))
    if contents.left_out:
        text = words(f"… {grouped(contents.left_out)} more bytes are not shown; search finds them")
        yield replace(note, text=text, tone="warn")
    elif not contents.entries:
        yield replace(note, text=words("nothing in it yet"))


_FENCE = re.compile(r"\s*(?:[-*+] +)?(?:`{3,}[^`]*|~{3,}.*)")


def title_of(entry: Entry) -> str:
    """The first line that holds words; of a block of code that of the code: fences are all the same."""
    if not _FENCE.fullmatch(entry.title):
        return entry.title
    lines = (line for line in entry.text.splitlines() if line.strip() and not _FENCE.fullmatch(line))
    return next(lines, entry.title).strip()
