"""What is asked for in a line: until when, why not, which claim, which source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from screens.dialogs.choose import ChooseScreen
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import Shown, row_text, words
from screens.review.proposal_list import place_words
from workbench.dreaming.proposals.decide import day_ahead, example_day
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


def ask_day(title: Shown, today: date) -> ChooseScreen:
    """Until when: ends with a day, as `2026-04-01`."""

    def day_row(day: date, name: str) -> Row:
        return Row(day.isoformat(), words(name), tail=(RowPart(words(f"{day:%a %d %b %Y}"), "muted"),))

    def typed(text: str) -> Sequence[Row]:
        try:
            day = day_ahead(text, today)
        except UsageError as error:
            return (Row(text, row_text(f"{error.message}: {error.hint}"), tone="warn", inert=True),)
        return (day_row(day, f"until {day}"),)

    rows = [day_row(today + timedelta(days=days), name) for name, days in _SPANS]
    return ChooseScreen(title, rows, typed, placeholder=f"a day: {example_day(today)}, 3d or 2w")


def ask_reason(title: Shown) -> ChooseScreen:
    """Why a claim is rejected: ends with the reason."""
    rows = [Row(reason, words(reason)) for reason in _REASONS]
    return ChooseScreen(title, rows, _typed("because"), placeholder="type a reason, or choose one")


def ask_claim() -> ChooseScreen:
    """Which claim is asked about: ends with its words."""
    return ChooseScreen(
        words("Why is it proposed, or not?"),
        (),
        _typed("why is, or is not, proposed:"),
        placeholder="words of a claim, an entry's address or a key",
        empty="type a few of its words",
    )


def ask_source(sources: Sequence[Quotation]) -> ChooseScreen:
    """Which source to go to: ends with its address. What is gone cannot be gone to."""
    rows = [
        Row(
            one.address or f"gone:{number}",
            row_text(masked(" ".join((one.text or one.gone).split()))),
            tone="text" if one.address else "faint",
            tail=(RowPart(row_text(place_words(one.place)), "faint"),),
            inert=not one.address,
        )
        for number, one in enumerate(sources)
    ]
    title = words(f"Go to one of {len(sources)} sources")
    return ChooseScreen(title, rows, lambda _: (), placeholder="type to narrow", empty="no source says that")


def _typed(lead: str) -> Callable[[str], Sequence[Row]]:
    """What was typed, as the one choice."""
    return lambda text: (Row(text, row_text(text), lead=(RowPart(words(lead), "accent"),)),)
