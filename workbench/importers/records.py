"""What a foreign source holds, in our own terms, before anything of it is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from workbench.errors import UsageError
from workbench.graph.drafts import Draft, MemoryDraft
from workbench.memory.episode_page import EpisodePage
from workbench.memory.escape import plain_line
from workbench.memory.names import RelPath
from workbench.memory.window import fits, pieces

_T = TypeVar("_T")
_LONGEST = 200_000
"""Characters that one memory may have there: it becomes as many as are needed here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that comes over. ``name`` is what its source calls it, ``digest`` that of all that was read.

    Of ``drafts`` (for the graph), ``episode``, ``file`` (a new memory file) and ``recalls`` (records for the
    ledger) it has what it needs.
    """

    name: str
    digest: str
    drafts: tuple[Draft, ...] = ()
    episode: EpisodePage | None = None
    file: tuple[RelPath, bytes] | None = None
    recalls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """All of one source. ``label`` begins the names of its items in the ledger.

    ``left_out`` says what was not taken, and why.
    """

    label: str
    items: tuple[Item, ...]
    left_out: tuple[tuple[str, str], ...] = field(default=())


def carried(label: str, named: Iterable[tuple[str, _T]], make: Callable[[str, _T], Item]) -> Carried:
    """What ``make`` makes of each thing and its name; what raises UsageError or OSError is left out."""
    items: list[Item] = []
    left_out: list[tuple[str, str]] = []
    for name, thing in named:
        try:
            items.append(make(name, thing))
        except UsageError as error:
            left_out.append((name, error.message))
        except OSError as error:
            left_out.append((name, str(error.strerror)))
    return Carried(label=label, items=tuple(items), left_out=tuple(left_out))


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of a table of another program: a column that is not there, or of another kind, says nothing."""

    values: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """The value as the program wrote it, or None."""
        return self.values.get(name)

    def word(self, name: str) -> str:
        """A text as one line, or nothing."""
        return word(self.values.get(name))

    def day(self, name: str) -> date | None:
        """The day of a moment, or None."""
        return day_in(self.values.get(name))

    def share(self, name: str) -> float | None:
        """A number from 0 to 1, or None for what says nothing (negative numbers do so in some databases)."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            return None
        return float(value)


def digest_of(value: object) -> str:
    """A short digest of any JSON value, or of what can be shown as one."""
    shown = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def memories(text: str, **said: Any) -> Iterator[MemoryDraft]:
    """The typed memories that ``text`` makes: one, or several where it is too long for one.

    ``said`` are further fields of ``MemoryDraft``. Raises UsageError where one of these cannot be, or where
    the text is longer than anybody's memory.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"it is longer than {_LONGEST:,} characters")
    kind = said.get("type", "fact")
    for part in _parts(text, f"[{kind}] "):
        yield MemoryDraft(text=part, **said)


def _parts(text: str, lead: str) -> Iterator[str]:
    whole = plain_line(text, _LONGEST)
    if not whole:
        return
    if fits(lead + whole):
        yield whole
        return
    for start, end in pieces(whole):
        for piece in _halves(whole[start:end].strip(), lead):
            if words := plain_line(piece, _LONGEST):
                yield words


def _halves(text: str, lead: str) -> Iterator[str]:
    """``text``, cut in the middle as often as it must be to fit behind ``lead``."""
    if fits(lead + text) or len(text) < 2:
        yield text
        return
    middle = text.rfind(" ", 1, len(text) // 2 + 1)
    middle = middle if middle > 0 else len(text) // 2
    yield from _halves(text[:middle], lead)
    yield from _halves(text[middle:].strip(), lead)


def moment_of(value: object) -> datetime | None:
    """A moment as databases write it: ISO text, a datetime, or seconds since 1970; None for all else.

    It is in UTC, so that a moment is the same whatever zone the database writes it in.
    """
    try:
        if isinstance(value, datetime):
            return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        if isinstance(value, bool):
            return None
        if isinstance(value, (int, float)):
            seconds = value / 1000 if abs(value) > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
        if isinstance(value, str) and value.strip():
            found = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def day_in(value: object) -> date | None:
    """The day of a moment, or None."""
    found = moment_of(value)
    return found.date() if found else None


def word(value: object) -> str:
    """A text as one line, or nothing."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def many(count: int, one: str, several: str = "") -> str:
    """``1 thing``, ``2 things``; ``several`` where an `s` does not make it."""
    return f"{count} {one if count == 1 else several or one + 's'}"
