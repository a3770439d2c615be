"""How long something holds, how sure it is and who stands behind it, as pieces of rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from screens.drawing.rows import RowPart, Tone
from screens.drawing.safe_text import Shown, row_text, words
from workbench.memory.graph_page import Entity, Relation, TypedMemory
from workbench.memory.moment import clock_of

_TRUST: dict[str, Tone] = {"owner": "good", "agent": "muted", "external": "warn", "unknown": "warn"}
Line = Entity | Relation | TypedMemory


def day_text(day: date) -> Shown:
    """A day in a row: ``2 Mar 2026``, with its time where it has one."""
    return Shown(f"{day.day} {day:%b %Y}{clock_of(day)}")


def day_in_row(day: date, now: date) -> Shown:
    """As short as it can be said: ``2 Mar`` within half a year of ``now``, else ``Mar 2024``."""
    return Shown(f"{day.day} {day:%b}" if abs((day - now).days) <= _NEAR_DAYS else f"{day:%b %Y}")


_NEAR_DAYS = 182


def window_parts(line: Line, day: date) -> Iterator[RowPart]:
    """From when on it holds and until when, seen from ``day``; nothing for what always held."""
    if line.valid_until is not None:
        ended = line.valid_until <= day
        word = words(f"{'ended' if ended else 'until'} {day_in_row(line.valid_until, day)}")
        yield RowPart(word, "warn" if ended else "muted")
    elif line.valid_from is not None and line.valid_from > day:
        yield RowPart(words(f"from {day_in_row(line.valid_from, day)}"), "warn")
    elif line.valid_from is not None:
        yield RowPart(words(f"since {day_in_row(line.valid_from, day)}"), "faint")


def window_text(line: Line) -> Shown:
    """Both days in words: ``holds from 2 Mar 2026 until 3 May 2026``; empty where none is said."""
    said = [f"from {day_text(line.valid_from)}"] if line.valid_from else []
    said += [f"until {day_text(line.valid_until)}"] if line.valid_until else []
    return words(f"holds {' '.join(said)}" if said else "")


def sure_parts(confidence: float) -> Iterator[RowPart]:
    """How sure it is, where that is not certain."""
    if confidence < 1:
        yield RowPart(words(f"{confidence:.0%} sure"), "faint" if confidence >= _DOUBTFUL else "warn")


_DOUBTFUL = 0.5


def trust_text(trust: str) -> str:
    """The same in words; the mark of the row with its meaning."""
    return f"trust {trust}{' (?): nobody says who stands behind it' if trust == 'unknown' else ''}"


def trust_part(trust: str) -> RowPart:
    """Who stands behind it; ``?`` where nobody says."""
    return RowPart(words("?") if trust == "unknown" else row_text(trust), _TRUST.get(trust, "warn"))
