"""The filter of a pane: what was typed, as terms, and whether something is what they ask for.

A term is a word, ``"exact words"``, a state that the pane knows (``promoted``, ``expiring``), or the
beginning of a day (``2026-03``); ``-`` before it turns it round. All terms have to hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from screens.drawing.safe_text import Row, RowPart, grouped, of_all, words
from screens.loading.snapshots import FilteredEntries, Promoted, stamp
from screens.panes.entry_rows import entry_row
from workbench.workspace.layout import MemoryFile

_TERM = re.compile(r'(?P<turned>-?)(?:"(?P<exact>[^"]*)"?|(?P<word>[^\s"]+))')
_DAY = re.compile(r"\d{4}(?:-\d{0,2}(?:-\d{0,2})?)?")
Sort = Literal["word", "state", "day"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a filter looks at: text, states, and days as ``2026-03-14``."""

    text: str
    states: Collection[str] = frozenset()
    days: tuple[str, ...] = ()


class Subjects:
    """What a filter looks at of many things: made once, not with every key that somebody types."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[object, Subject]] = {}
        self._day: date | None = None

    def of(self, thing: object, day: date, made: Callable[[], Subject]) -> Subject:
        """The subject of ``thing``, which is the same object each time and is known as of ``day``."""
        if day != self._day:
            self._of, self._day = {}, day
        kept = self._of.get(id(thing))
        if kept is None:
            subject = made()
            kept = self._of[id(thing)] = thing, replace(subject, text=subject.text.casefold())
        return kept[1]

    def clear(self) -> None:
        """Other things are there."""
        self._of.clear()


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that has to hold, or not to where it is ``turned``."""

    text: str
    sort: Sort = "word"
    turned: bool = False

    def holds(self, subject: Subject) -> bool:
        """Whether it does, of ``subject``."""
        if self.sort == "state":
            found = self.text in subject.states
        elif self.sort == "day":
            found = any(day.startswith(self.text) for day in subject.days)
        else:
            found = self.text in subject.text.casefold()
        return found is not self.turned


@dataclass(frozen=True, slots=True)
class Filter:
    """All that was typed: ``typed`` as it is, ``terms`` as it is meant."""

    typed: str
    terms: tuple[Term, ...]
    _bring_out: re.Pattern[str] | None = field(default=None, compare=False)

    def keeps(self, subject: Subject) -> bool:
        """Whether all terms hold."""
        return all(term.holds(subject) for term in self.terms)

    def keeps_day(self, day: str) -> bool:
        """Whether something of this day, which may be none, can be kept at all."""
        subject = Subject("", days=(day,) if day else ())
        return all(term.holds(subject) for term in self.terms if term.sort == "day")

    @property
    def words(self) -> tuple[str, ...]:
        """The words that have to stand in the text, small."""
        return tuple(term.text for term in self.terms if term.sort == "word" and not term.turned)

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have to hold."""
        return tuple(term.text for term in self.terms if term.sort == "state" and not term.turned)

    @property
    def only_days(self) -> bool:
        """Whether days alone are asked for, which the names of files tell."""
        return all(term.sort == "day" for term in self.terms)

    def asks_for(self, *states: str) -> bool:
        """Whether one of these states is a term."""
        return any(term.sort == "state" and term.text in states for term in self.terms)

    def brought_out(self, row: Row) -> Row:
        """``row`` with the words that it was kept for brought out."""
        if self._bring_out is None:
            return row
        found = [match.span() for match in self._bring_out.finditer(row.text)]
        if not found:
            return row
        others = [one for one in row.emphasis if all(one[1] <= a or b <= one[0] for a, b in found)]
        emphasis = sorted([*others, *((a, b, "match") for a, b in found)])
        return replace(row, emphasis=tuple(emphasis))


def filter_of(typed: str, states: Collection[str]) -> Filter | None:
    """The filter that was typed, in a pane that knows these states; None where nothing was."""
    terms = []
    for found in _TERM.finditer(typed):
        turned, exact, word = bool(found["turned"]), found["exact"], (found["word"] or "").casefold()
        if exact is not None:
            terms.append(Term(exact.casefold(), turned=turned))
        elif word in states:
            terms.append(Term(word, "state", turned))
        elif _DAY.fullmatch(word):
            terms.append(Term(word.rstrip("-"), "day", turned))
        else:
            terms.append(Term(word, turned=turned))
    kept = tuple(term for term in terms if term.text.strip("-"))
    if not kept:
        return None
    words = sorted({t.text for t in kept if t.sort == "word" and not t.turned}, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE) if words else None
    return Filter(" ".join(typed.split()), kept, pattern)


def iso(*days: date | None) -> tuple[str, ...]:
    """Days as filters look at them."""
    return tuple(day.isoformat() for day in days if day is not None)


def states_of(*pairs: tuple[str, bool]) -> frozenset[str]:
    """The names of the states that hold."""
    return frozenset(name for name, holds in pairs if holds)


MOST = 1_000
"""Entries that are shown; whoever wants others asks for less."""


@dataclass(slots=True, eq=False)
class KeptFiles:
    """The files that a filter has to look through, and what it has found so far."""

    wanted: Filter | None = None
    files: tuple[MemoryFile, ...] = ()
    promoted: Promoted = field(default_factory=Promoted)
    found: dict[str, FilteredEntries] = field(default_factory=dict)
    looked: int = 0

    @property
    def settling(self) -> bool:
        """Whether more may be found."""
        return self.looked < len(self.files) and not self.full

    @property
    def full(self) -> bool:
        """Whether no more are looked for."""
        return sum(len(kept.entries) for kept in self.found.values()) >= MOST

    @property
    def looked_at(self) -> str:
        """How many of the files were looked through; empty once all of them were."""
        return of_all(self.looked, len(self.files), "files")

    @property
    def told(self) -> str:
        """The same beside the cursor's place, on a frame that may be narrow."""
        looked = self.looked_at
        return f"{'enough in ' if looked and self.full else ''}{looked} · " if looked else ""

    def due(self) -> tuple[MemoryFile, ...]:
        """The files that were not looked through yet, as they stand now."""
        return tuple(
            file
            for file in self.files
            if (kept := self.found.get(file.path)) is None or kept.stamp != stamp(file)
        )

    def keep(self, before: KeptFiles) -> None:
        """Take over what was found under the same filter, until it is looked for again."""
        if before.wanted == self.wanted and before.promoted == self.promoted:
            there = {file.path for file in self.files}
            self.found = {path: kept for path, kept in before.found.items() if path in there}


@dataclass(frozen=True, slots=True)
class MatchesRead:
    """Some more files were looked through for what a filter keeps; ``looked`` of all of them by now."""

    wanted: KeptFiles
    found: Mapping[str, FilteredEntries]
    looked: int


def kept_rows(
    row: Row, kept: FilteredEntries, wanted: Filter, promoted: Promoted, *, is_open: bool
) -> Iterator[Row]:
    """A file with the entries that are kept, their words brought out."""
    tail = (RowPart(words(f"{grouped(len(kept.entries))} of {grouped(kept.count)}")),)
    yield replace(row, fold=is_open, tail=tail)
    for entry in kept.entries if is_open else ():
        yield wanted.brought_out(entry_row(entry, depth=1, promoted=promoted.holds(entry)))
    if is_open and kept.left_out:
        text = words(f"… {grouped(kept.left_out)} more bytes were not filtered; search finds them")
        yield Row(f"{row.id}/note", text, tone="warn", depth=1, inert=True)
