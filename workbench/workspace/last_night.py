"""What became of the last nightly run: a job on a clock fails where nobody sees it.

The note in ``.workbench/night.json`` is written step by step, so that a run that was killed shows where it
stood. It may be lost; then only the time of the last run is known.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from workbench.memory.secrets import masked
from workbench.visible import cut, visible
from workbench.workspace.state_files import read_state, write_state

_BOOK = "night.json"
_LONGEST = 300
_MOST = 20
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LastNight:
    """When it began; the steps that failed, each with why; ``under_way``: it has not come to its end."""

    began: datetime
    failed: tuple[tuple[str, str], ...] = ()
    under_way: bool = False

    @property
    def shown(self) -> str:
        """In a few words."""
        end = f"failed: {', '.join(step for step, _ in self.failed)}" if self.failed else ""
        if self.under_way:
            end = "; ".join(filter(None, (end, "it did not come to its end yet")))
        return f"{self.began.astimezone():%Y-%m-%d %H:%M} · {end or 'nothing failed'}"


def note_night(state: Path, began: datetime, failed: Sequence[tuple[str, str]], *, ended: bool) -> None:
    """Keep which steps ``failed`` so far, and why. Raises OSError."""
    told = [[step, _line(why)] for step, why in failed]
    note = {"began": began.isoformat(timespec="seconds"), "failed": told, "ended": ended}
    write_state(state / _BOOK, note)


def last_night(state: Path) -> LastNight | None:
    """What is known of the last run, or None."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, OverflowError):
        raw = read_state(state / _BOOK, _MAX_BYTES)
        if isinstance(raw, dict):
            return LastNight(
                began=datetime.fromisoformat(raw["began"]).astimezone(),
                failed=tuple((_line(str(step)), _line(str(why))) for step, why in raw["failed"][:_MOST]),
                under_way=raw["ended"] is not True,
            )
    return None


def _line(text: str) -> str:
    return cut(visible(masked(" ".join(text.split())), one_line=True), _LONGEST)
