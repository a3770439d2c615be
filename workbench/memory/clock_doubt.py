"""Whether the clock can be believed, which is asked before anything is done by date.

A clock that jumps to 2100 lets everything expire at once; one that fell back to 1970 makes everything new.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

TOLERANCE = timedelta(seconds=120)
"""By which the clocks of a disk, of another machine and of this one may differ."""
SETTLED = timedelta(days=1)
"""What happened longer ago than this was not timed by a clock that has only just jumped."""
LONGEST_SILENCE = timedelta(days=30)
"""Time in which nothing happens to a memory that is in use."""


def doubt(now: datetime, happened: Iterable[datetime]) -> str | None:
    """Why ``now`` is doubtful, in words for a person; None where nothing speaks against it.

    ``happened`` are moments with zones: commits, changes of files. What is of the last day only counts where
    there is nothing older: a clock that jumped has timed it too.
    """
    moments = sorted(happened)
    if not moments:
        return None
    newest = moments[-1]
    if newest > now + TOLERANCE:
        return f"the clock says {_moment(now)}, and memory was changed {_moment(newest)}: the clock went back"
    settled = [moment for moment in moments if moment <= now - SETTLED]
    if settled and now - settled[-1] > LONGEST_SILENCE:
        days = (now - settled[-1]).days
        return (
            f"the clock says {_moment(now)}, and what happened here before is {days:,} days old: "
            "the clock may be wrong"
        )
    return None


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
