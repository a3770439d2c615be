"""Search hits as rows: how strong, what kind, which day, the words around the match, where."""

from __future__ import annotations

import re
from collections.abc import Iterator

from screens.drawing.clock import today
from screens.drawing.safe_text import (
    EMPTY,
    KINDS,
    PROMOTED,
    Row,
    RowPart,
    Shown,
    Spans,
    inline,
    piece,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import Promoted
from workbench.agent.search_update import FoundHit, Moment, SearchUpdate
from workbench.memory.entry import is_outside

_BAR, _KIND, _DAY, _NAME = 4, 11, 10, 12
_WORD = re.compile(r"\w+", re.UNICODE)
_LEAD_IN = 24
_SHORT, _LONG = 2, 4
"""Letters of a word that is brought out at all, and with whatever ending."""
_OUTSIDE = words("↗")
_NOT_PROMOTED = Promoted()


def moment_shown(moment: Moment) -> Shown:
    """When a moment was, without the commit."""
    return row_text(moment.when.partition(" (")[0])


def hit_rows(
    found: SearchUpdate,
    *,
    compact: bool,
    promoted: Promoted = _NOT_PROMOTED,
    unscored: bool = False,
    here: str = "",
) -> list[Row]:
    """The rows of an answer; ``compact`` leaves the day out, ``unscored`` the bars.

    Where several workspaces answered, each row leads with the name of its own; ``here`` is the folder of the
    one that is shown, or of its moment, whose hits are rows like any other. A hit whose words stand in
    long-term memory already is marked as such; one that says the same as a hit above it names that one.
    """
    best = max([1.0, *(hit.score for hit in found.hits)])  # the best of a bad lot is no full bar
    pattern = match_pattern(found.query)
    moment = found.moment if found.moment and found.moment.root != here else None
    first: dict[str, int] = {}
    rows = []
    for number, hit in enumerate(found.hits, 1):
        twin = first.setdefault(hit.digits, number)
        elsewhere = hit.root not in ("", here)
        tail = () if compact else tuple(_tail(hit, twin if twin != number else 0))
        today = not elsewhere and moment is None
        done = today and promoted.has(hit.digits, hit.path, hit.start_line)
        text, emphasis = _around_match(hit.snippet, pattern)
        scored = () if unscored else (RowPart(bar(hit.score / best, _BAR), "accent"),)
        row = Row(
            id=f"{hit.root}/{hit.entry}" if elsewhere else hit.entry,
            text=text,
            emphasis=emphasis,
            lead=(*scored, *_lead(hit, compact)),
            tail=(*tail, RowPart(PROMOTED, "good")) if done else tail,
            path=hit.path,
            line=hit.start_line,
            address=hit.entry,
            done=done,
            past=moment_shown(moment) if moment else EMPTY,
            root=moment.root if moment else hit.root if elsewhere else "",
            workspace=row_text(hit.workspace) if elsewhere else EMPTY,
        )
        rows.append(row)
    return rows


def bar(share: float, cells: int) -> Shown:
    """A bar of ``cells`` for a share in [0, 1], in steps of half a cell; what is above 0 is never empty."""
    halves = max(int(share > 0), min(2 * cells, round(share * 2 * cells)))
    return words(("━" * (halves // 2) + "╸" * (halves % 2)).ljust(cells, "╌"))


def match_pattern(query: str) -> re.Pattern[str] | None:
    """What to bring out in a snippet: words that begin as the query's words do, endings aside.

    Function words only where there are no others; a short word as it is, unless somebody is typing it.
    """
    from indexing.query.question import understand  # noqa: PLC0415 - not before the first paint
    from indexing.words import STOP_WORDS  # noqa: PLC0415

    asked = understand(query, today(), prefix=True).text
    found = [word for word in _WORD.findall(asked) if len(word) >= _SHORT or not word.isascii()]
    topical = [word for word in found if word.lower() not in STOP_WORDS] or found
    stems = []
    for word in topical:
        if not word.isascii():
            stems.append(re.escape(word))
        elif len(word) >= _LONG or asked.endswith(word):
            stem = word[: max(_LONG, len(word) - 3)] if word.isalpha() else word
            stems.append(rf"\b{re.escape(stem)}\w*")
        else:
            stems.append(rf"\b{re.escape(word)}\b")
    return re.compile("|".join(stems), re.IGNORECASE) if stems else None


def place_of_hit(path: str) -> str:
    """A path as a row has room for it: below ``memory/`` as it is, of a file outside its end."""
    if is_outside(path):
        return "/".join(path.rsplit("/", 2)[-2:])
    return path.removeprefix("memory/")


def _lead(hit: FoundHit, compact: bool) -> Iterator[RowPart]:
    if hit.workspace:
        yield piece(row_text(hit.workspace)[:_NAME].ljust(_NAME), "accent")
    letter, tone = KINDS.get(hit.kind, (" ", "muted"))
    yield piece(f"{letter} {row_text(hit.kind)}".ljust(_KIND), tone)
    if not compact:
        yield piece(row_text(hit.date or "").ljust(_DAY), "faint")


def _tail(hit: FoundHit, twin: int) -> Iterator[RowPart]:
    """Where it is, and before that what it repeats."""
    if twin:
        yield piece(f"= hit {twin}")
    if hit.neighbour:
        yield piece("neighbour of a match", "faint")
    mark = f"{_OUTSIDE} " if is_outside(hit.path) else ""
    yield safe_piece(f"{mark}{place_of_hit(hit.path)}:{hit.start_line}", "faint")


def _around_match(snippet: str, pattern: re.Pattern[str] | None) -> tuple[Shown, Spans]:
    """The words around the first match, and where in them all matches stand."""
    text, _ = inline(row_text(snippet))
    if pattern is None:
        return text, ()
    found = pattern.search(text)
    if found and found.start() > 2 * _LEAD_IN:
        text = Shown("… " + text[_beginning(text, found.start()) :])
    return text, tuple((m.start(), m.end(), "match") for m in pattern.finditer(text) if m[0])


def _beginning(text: str, match: int) -> int:
    """Where a word begins a little before the match, so that it leads to it."""
    start = match - _LEAD_IN
    blank = text.find(" ", start - 1, match)
    if blank < 0:  # a long address: from its beginning, or as much of it as leads to the match
        blank = text.rfind(" ", max(start - _LEAD_IN, 0), start)
    return start if blank < 0 else blank + 1
