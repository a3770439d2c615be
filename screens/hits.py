"""Search hits as rows: how strong, what kind, which day, the words around the match, where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from screens.panes.entry_rows import lightened
from screens.rows import Part, Row, Tone
from screens.shown import Shown, row_text, words

_BAR, _KIND, _DAY = 4, 9, 10
_WORD = re.compile(r"\w+", re.UNICODE)
_FILTER = re.compile(r"\b(?:kind|since|until|type|from):\S+")
_LEAD_IN = 24
_SHORT = 2


@dataclass(frozen=True, slots=True)
class FoundHit:
    """A hit as the screen needs it, from either engine."""

    entry: str
    path: str
    line: int
    kind: str
    day: str
    snippet: str
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """An answer as the screen needs it. ``sides`` is ``words`` or ``words + meaning``."""

    query: str
    hits: tuple[FoundHit, ...]
    sides: str
    stale: str | None = None
    degraded: str | None = None


def found_in(answer: Mapping[str, object]) -> Found:
    """The answer that this JSON holds. Raises ValueError, KeyError or TypeError when it is none."""
    raw = answer["hits"]
    if not isinstance(raw, list):
        raise TypeError("hits must be a list")
    hits = tuple(
        FoundHit(
            entry=str(hit["entry"]),
            path=str(hit["path"]),
            line=int(hit["start_line"]),
            kind=str(hit["kind"]),
            day=str(hit["date"] or ""),
            snippet=str(hit["snippet"]),
            score=float(hit["score"]),
        )
        for hit in raw
    )
    degraded = answer.get("degraded")
    stale = answer.get("stale")
    return Found(
        query=str(answer.get("query", "")),
        hits=hits,
        sides="words + meaning" if answer.get("mode") == "hybrid" else "words",
        stale=str(stale) if stale else None,
        degraded=str(degraded) if degraded else None,
    )


def hit_rows(found: Found, *, compact: bool) -> list[Row]:
    """The rows of an answer; ``compact`` leaves the day out."""
    best = max((hit.score for hit in found.hits), default=0.0) or 1.0
    pattern = match_pattern(found.query)
    return [_row(hit, hit.score / best, pattern, compact=compact) for hit in found.hits]


def match_pattern(query: str) -> re.Pattern[str] | None:
    """What to bring out in a snippet: words that begin as the query's words do, endings aside."""
    stems = []
    for word in _WORD.findall(_FILTER.sub(" ", query)):
        if len(word) < _SHORT and word.isascii():
            continue
        stem = word[: max(4, len(word) - 3)] if word.isascii() and word.isalpha() else word
        stems.append((r"\b" if word.isascii() else "") + re.escape(stem) + (r"\w*" if word.isascii() else ""))
    return re.compile("|".join(stems), re.IGNORECASE) if stems else None


def _row(hit: FoundHit, share: float, pattern: re.Pattern[str] | None, *, compact: bool) -> Row:
    text, _ = lightened(row_text(hit.snippet))
    first = pattern.search(text) if pattern else None
    if first and first.start() > 2 * _LEAD_IN:
        text = Shown("… " + text[first.start() - _LEAD_IN :])
    emphasis: tuple[tuple[int, int, Tone], ...] = ()
    if pattern:
        emphasis = tuple((m.start(), m.end(), "match") for m in pattern.finditer(text) if m[0])
    filled = max(1, min(_BAR, round(share * _BAR)))
    lead = [
        Part(words("━" * filled + "╌" * (_BAR - filled)), "accent"),
        Part(words(row_text(hit.kind).ljust(_KIND)), "muted"),
    ]
    if not compact:
        lead.append(Part(words(row_text(hit.day).ljust(_DAY)), "faint"))
    place = hit.path.removeprefix("memory/")
    return Row(
        id=hit.entry,
        text=text,
        lead=tuple(lead),
        tail=() if compact else (Part(row_text(f"{place}:{hit.line}"), "faint"),),
        emphasis=emphasis,
        path=hit.path,
        line=hit.line,
        address=hit.entry,
    )
