"""What the words in the search box mean: what is looked for and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from indexing.query.filters import Filters
from indexing.query.language import understand
from indexing.query.question import Question
from screens.drawing.rows import RowPart, Tone
from screens.drawing.safe_text import row_text

_TOKEN = re.compile(r'-?(?:[a-z-]+:)?["“”][^"“”]*["“”]|\S+', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Understood:
    """``chips`` are the conditions in words, ``notes`` what was not understood.

    ``as_of`` names a moment of the past; ``wordless`` says that there is nothing to look for but conditions.
    """

    chips: tuple[RowPart, ...]
    notes: tuple[str, ...]
    as_of: str | None
    wordless: bool


@lru_cache(64)
def read(text: str, today: date) -> Understood:
    """What ``text`` means while somebody types it."""
    question = understand(text, today, prefix=True)
    wordless = bool(text.strip()) and not question.text.strip()
    return Understood(tuple(_chips(question)), question.notes, question.as_of, wordless)


def _chips(question: Question) -> list[RowPart]:
    said: list[tuple[str, Tone]] = []
    if question.as_of:
        said.append((f"as of {question.as_of}", "warn"))
    said += [(f"“{phrase}”", "match") for phrase in (*question.phrases, *question.preferred)]
    said += [(text, "accent") for text in _conditions(question.within)]
    said += [(f"not {text}", "bad") for text in _conditions(question.without)]
    said += [(f"not {text}", "bad") for text in question.excluded]
    return [RowPart(row_text(text), tone) for text, tone in said]


def _conditions(filters: Filters) -> list[str]:
    """Each condition in words, its values as a person would say them."""
    listed = [
        ("kind", map(str, filters.kinds)),
        ("type", filters.types),
        ("from", filters.sources),
        ("path", filters.paths),
        ("trust", filters.trusts),
        ("of", (user or "nobody in particular" for user in filters.users)),
    ]
    said = [f"{name} {' or '.join(sorted(values))}" for name, found in listed if (values := list(found))]
    if filters.since and filters.since == filters.until:
        said.append(f"on {filters.since}")
    else:
        said += [f"since {filters.since}"] if filters.since else []
        said += [f"until {filters.until}"] if filters.until else []
    if filters.pinned is not None:
        said.append("pinned" if filters.pinned else "not pinned")
    return said


@lru_cache(64)
def marked(text: str, today: date) -> tuple[tuple[int, int, str], ...]:
    """The parts of ``text`` that are conditions, as ranges: ``field``, ``phrase`` or ``not``."""
    ranges = []
    for found in _TOKEN.finditer(text):
        question = understand(found[0], today)
        if question.excluded or question.without:
            ranges.append((*found.span(), "not"))
        elif question.phrases or question.preferred:
            ranges.append((*found.span(), "phrase"))
        elif question.within or question.as_of:
            ranges.append((*found.span(), "field"))
    return tuple(ranges)
