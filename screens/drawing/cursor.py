"""The place of the cursor when rows are replaced: on the same entry, under whatever name it has now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from screens.drawing.safe_text import Row

_NEAR = 60
"""Entries that are compared with one whose words changed, the nearest first."""


def place_of(before: Sequence[Row], cursor: int, rows: Sequence[Row], go_to: str | None = None) -> int:
    """The index in ``rows`` of the row ``go_to``; else of the row at ``cursor`` of ``before``.

    Where that row is gone, of the entry that it was reworded to; else of its nearest neighbour that is left.
    """
    if not rows or (go_to is None and not before):
        return landing(rows, 0)
    index = {label: at for at, row in enumerate(rows) for label in row.labels}
    index |= {row.id: at for at, row in enumerate(rows)}
    if go_to is not None and go_to in index:
        return index[go_to]
    here = before[cursor] if cursor < len(before) else None
    if here is not None:
        found = _repeated(here, before, cursor, rows, index)
        if found is None and here.id not in index:
            found = _likeness(here, before, rows)
        if found is not None:
            return found
    for at in chain(range(cursor, len(before)), range(min(cursor, len(before)) - 1, -1, -1)):
        row = before[at]
        if row.id in index and not row.inert:
            return index[row.id]
    return landing(rows, 0)


def landing(rows: Sequence[Row], index: int) -> int:
    """The nearest row to ``index`` that takes the cursor, those below first."""
    below, above = range(index, len(rows)), range(index - 1, -1, -1)
    return next((at for at in chain(below, above) if not rows[at].inert), 0)


def _repeated(
    here: Row, before: Sequence[Row], cursor: int, rows: Sequence[Row], index: Mapping[str, int]
) -> int | None:
    """Where the entry of ``here`` stands when others with its very words came or went; None where none did.

    They are called ``#hash``, ``#hash~2`` …: when one goes, the next one has its name, wherever it stands. So
    it is looked for beside its nearest neighbour; where it is not there it is gone, and that is the place.
    """
    base = here.id.removesuffix(f"~{here.entry.ordinal}") if here.entry else here.id
    again = f"{base}~"

    def same(row: Row) -> bool:
        return row.id == base or row.id.startswith(again)

    there, now = sum(map(same, before)), sum(map(same, rows))
    if there == now or max(there, now) < 2:
        return None
    for places, step in ((range(cursor + 1, len(before)), -1), (range(cursor - 1, -1, -1), 1)):
        beside = (at for at in places if not before[at].inert and not same(before[at]))
        for at in beside:
            found = index.get(before[at].id)
            if found is not None:
                near = found + step
                return near if 0 <= near < len(rows) and same(rows[near]) else found
    return None


def _likeness(here: Row, before: Sequence[Row], rows: Sequence[Row]) -> int | None:
    """Where the entry of ``here`` stands with other words, or in another file; None where it does not."""
    entry = here.entry
    if entry is None:
        return None
    known = {row.id for row in before}
    sort = here.id.removesuffix(here.address or "")
    new = [
        (at, row.entry)
        for at, row in enumerate(rows)
        if row.entry is not None and row.id not in known and row.id.removesuffix(row.address or "") == sort
    ]
    near = [(at, one) for at, one in new if one.path == entry.path]
    near = sorted(near, key=lambda found: abs(found[1].start_line - entry.start_line))[:_NEAR]
    same = next((at for at, one in new if one.hash == entry.hash), None)
    if same is not None or not near:
        return same
    from workbench.history.text_similarity import likest  # noqa: PLC0415 - not before the first paint

    found = likest(entry, (one for _, one in near))
    return next((at for at, one in near if one is found), None)
