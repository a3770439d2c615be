"""What is asked for in a line: until when, why not, which claim, which source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.review.proposal_list import place_words
from workbench.dreaming.proposals.defer import day_ahead
from workbench.dreaming.proposals.source_quotes import Quotation
from workbench.errors import UsageError
from workbench.safety.secrets import masked

_SPANS = (("tomorrow", 1), ("in 3 days", 3), ("in a week", 7), ("in two weeks", 14), ("in a month", 30))
_REASONS = (
    "it is not true",
    "it is not true any more",
    "it mattered only then",
    "it is not worth remembering",
    "it is nobody's business",
    "it is said elsewhere already",
)
_NO_DAY = "no-day:"


def day_rows(today: date) -> list[Row]:
    """Days to put a proposal off to; each row's id is its day."""
    return [_day(today + timedelta(days=days), name) for name, days in _SPANS]


def typed_day(text: str, today: date) -> Sequence[Row]:
    """The day that was typed: `2026-04-01`, `3d`, `2w`."""
    try:
        day = day_ahead(text, today)
    except UsageError as error:
        return (_no_day(text, f"{error.message}: {error.hint}"),)
    if day <= today:
        return (_no_day(text, f"{day} is not ahead of us: name a later day"),)
    return (_day(day, f"until {day}"),)


def chosen_day(row_id: str | None) -> date | None:
    """The day of the row that was chosen."""
    return date.fromisoformat(row_id) if row_id and not row_id.startswith(_NO_DAY) else None


def reason_rows() -> list[Row]:
    """Why a claim is usually rejected; each row's id is the reason."""
    return [Row(reason, words(reason)) for reason in _REASONS]


def typed_reason(text: str) -> Sequence[Row]:
    """The reason that was typed."""
    return (Row(text, row_text(text), lead=(RowPart(words("because"), "accent"),)),)


def typed_claim(text: str) -> Sequence[Row]:
    """The words of a claim that was asked about."""
    return (Row(text, row_text(text), lead=(RowPart(words("why is, or is not, proposed:"), "accent"),)),)


def source_choices(sources: Sequence[Quotation]) -> list[Row]:
    """Sources to go to; each row's id is its address. What is gone cannot be gone to."""
    return [
        Row(
            one.address or f"gone:{number}",
            row_text(masked(" ".join((one.text or one.gone).split()))),
            tone="text" if one.address else "faint",
            tail=(RowPart(row_text(place_words(one.place)), "faint"),),
            inert=not one.address,
        )
        for number, one in enumerate(sources)
    ]


def _no_day(text: str, why: str) -> Row:
    return Row(f"{_NO_DAY}{text}", row_text(why), tone="warn", inert=True)


def _day(day: date, name: str) -> Row:
    return Row(day.isoformat(), words(name), tail=(RowPart(words(f"{day:%a %d %b %Y}"), "muted"),))
