"""What is ranked for a question: candidates of both sides, each with both scores where there are both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from indexing.document import Stored, kind_of_code
from indexing.lexical.reader import KeywordMatch, Snapshot
from indexing.query.dates import Period
from indexing.query.filters import Filters
from indexing.query.question import Question, WordForm
from indexing.ranking.order import Candidate
from indexing.search.answer import Mode

_MOST_PERIODS = 3


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates of one snapshot, and how they were found.

    ``question`` is what was asked, as the snapshot can answer it. ``complete`` says that a larger pool would
    hold no more; ``degraded`` why a side is missing; ``notes`` what is to be said of the hits, if there are
    any.
    """

    snapshot: Snapshot
    question: Question
    matches: Mapping[int, KeywordMatch]
    candidates: tuple[Candidate, ...]
    mode: Mode
    complete: bool
    degraded: str | None = None
    notes: tuple[str, ...] = ()
    _read: dict[int, Stored] = field(default_factory=dict)

    def entry(self, key: int) -> Stored:
        """The entry of a candidate; read once. Raises IndexUnavailableError."""
        if key not in self._read:
            self._read[key] = self.snapshot.load(self.matches[key])
        return self._read[key]


def pool_of_words(
    snapshot: Snapshot, question: Question, periods: tuple[Period, ...], size: int, degraded: str | None
) -> Pool:
    """The best by keyword only, and the entries of the days that the question names."""
    matches = snapshot.search(question, size)
    found = {match.key: match for match in matches}
    for match in (*snapshot.with_word(question, size), *of_days(snapshot, question, periods, size)):
        found.setdefault(match.key, match)
    candidates = candidates_of(found, word_forms(snapshot, question, periods, found))
    return Pool(snapshot, question, found, candidates, "lexical", len(matches) < size, degraded)


def of_days(
    snapshot: Snapshot, question: Question, periods: tuple[Period, ...], size: int
) -> list[KeywordMatch]:
    """Entries of these days: the best by their words, and the newest whatever their words."""
    found: list[KeywordMatch] = []
    for within in days_only(question, periods):
        found += snapshot.search(within, size)
        found += (replace(match, score=0.0) for match in snapshot.search(replace(within, text=""), size))
    return found


def days_only(question: Question, periods: tuple[Period, ...]) -> list[Question]:
    """The question, of one period each."""
    return [
        replace(question, within=question.within.also(Filters(since=one.first, until=one.last)))
        for one in periods[:_MOST_PERIODS]
    ]


def word_forms(
    snapshot: Snapshot, question: Question, periods: tuple[Period, ...], found: Mapping[int, KeywordMatch]
) -> Mapping[int, WordForm]:
    """The forms of those that have the one word of a question, or are of the day that it names."""
    if not question.is_day:
        return snapshot.word_forms(question, list(found))
    days = [range(one.first.toordinal(), one.last.toordinal() + 1) for one in periods]
    of_day = (key for key, match in found.items() if any(match.day in some for some in days))
    return dict.fromkeys(of_day, WordForm.OF_DAY)


def candidates_of(
    found: Mapping[int, KeywordMatch],
    forms: Mapping[int, WordForm],
    cosines: Mapping[int, float] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """What was found as ranking sees it."""
    return tuple(
        Candidate(
            key,
            kind_of_code(match.kind),
            match.day,
            match.score,
            cosines.get(key),
            match.marks,
            forms.get(key, WordForm.ABSENT),
        )
        for key, match in found.items()
    )
