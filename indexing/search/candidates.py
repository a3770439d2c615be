"""What is ranked for a question: candidates of both sides, each with both scores where there are both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from indexing.document import Stored
from indexing.embedding.port import Vectors
from indexing.lexical.reader import Snapshot
from indexing.lexical.terms import words
from indexing.query.dates import Period
from indexing.query.question import Filters, Question, WordForm
from indexing.ranking.order import Candidate
from indexing.search.modes import Mode
from indexing.sync.freshness import without_vector
from indexing.words import normal, written_words
from workbench.frozen import frozen

if TYPE_CHECKING:
    from indexing.vectors import VectorReader

NO_WORDS = "no entry has these words; showing the closest by meaning"
NO_WORDS_WITHIN = "no entry with these filters has these words; showing the closest by meaning"
_MOST_PERIODS = 3


@frozen
class Candidates:
    """Candidates of one snapshot by their keys, and how they were found.

    ``question`` is what was asked, as the snapshot can answer it. ``complete`` says that a larger pool would
    hold no more; ``degraded`` why a side is missing; ``notes`` what is to be said of the hits, if there are
    any.
    """

    snapshot: Snapshot
    question: Question
    matches: Mapping[int, Candidate]
    mode: Mode
    complete: bool
    degraded: str | None = None
    notes: tuple[str, ...] = ()
    _read: dict[int, Stored] = field(default_factory=dict)

    @property
    def candidates(self) -> Collection[Candidate]:
        """What is ranked."""
        return self.matches.values()

    def entry(self, key: int) -> Stored:
        """The entry of a candidate; read once. Raises IndexUnavailableError."""
        if key not in self._read:
            self._read[key] = self.snapshot.load(self.matches[key])
        return self._read[key]


@frozen
class NearbyVectors:
    """The (d,) ``vector`` of a question, and the vectors that it is compared with."""

    vector: Vectors
    reader: VectorReader

    def cosines(self, snapshot: Snapshot, questions: Sequence[Question], size: int) -> dict[int, float]:
        """The nearest entries that meet the conditions of each question."""
        found: dict[int, float] = {}
        for one in questions:
            allowed = snapshot.allowed(one) if one.narrows else None
            nearest = self.reader.nearest(self.vector, size, allowed)
            found.update(zip(nearest.keys.tolist(), nearest.cosines.tolist(), strict=True))
        return found


def gathered(
    snapshot: Snapshot,
    question: Question,
    periods: Sequence[Period],
    size: int,
    mode: Mode,
    *,
    nearby: NearbyVectors | None = None,
    degraded: str | None = None,
) -> Candidates:
    """The best by words, the nearest by meaning, and the entries of the days that the question names.

    Each has both scores, where there are vectors at all. Raises IndexUnavailableError.
    """
    dated = [on_days(question, one) for one in periods[:_MOST_PERIODS]]
    cosines = nearby.cosines(snapshot, (question, *dated), size) if nearby else {}
    enough = len(cosines) >= size
    matches = [] if mode == "vector" else snapshot.search(question, size)
    found = {match.key: match for match in matches}
    strangers = [key for key in cosines if key not in found]
    found.update((match.key, match) for match in snapshot.look_up(strangers, question))
    further = [] if mode == "vector" else snapshot.with_word(question, size)
    for one in dated:  # the best by their words, and the newest whatever their words
        further += snapshot.search(one, size)
        further += (replace(match, bm25=0.0) for match in snapshot.search(replace(one, text=""), size))
    for match in further:
        found.setdefault(match.key, match)
    notes: tuple[str, ...] = ()
    if nearby is not None:
        rest = [key for key in found if key not in cosines]
        cosines.update(nearby.reader.cosines(nearby.vector, rest))
        missing = snapshot.count() - nearby.reader.count()
        degraded = without_vector(missing) if missing > 0 else None
        if mode == "hybrid" and not any(match.bm25 for match in found.values()):
            notes = (NO_WORDS_WITHIN if question.narrows else NO_WORDS,)
    forms = {} if mode == "vector" else _word_forms(snapshot, question, periods, found)
    found = {
        key: replace(match, cosine=cosines.get(key), word=forms.get(key, WordForm.ABSENT))
        for key, match in found.items()
    }
    complete = len(matches) < size and not enough
    return Candidates(snapshot, question, found, mode, complete, degraded, notes)


def on_days(question: Question, period: Period) -> Question:
    """The question, of the days of a period."""
    return replace(question, within=question.within.also(Filters(since=period.first, until=period.last)))


def _word_forms(
    snapshot: Snapshot, question: Question, periods: Sequence[Period], found: Mapping[int, Candidate]
) -> Mapping[int, WordForm]:
    """The forms of those that have the one word of a question, or are of the day that it names."""
    if not question.is_day:
        forms = snapshot.word_forms(question, list(found))
        word = written_words(question.lone_word)
        if len(word) == 1 and word != written_words(" ".join(words().analyze(normal(question.lone_word)))):
            for key in [key for key, form in forms.items() if form is WordForm.AS_ASKED]:
                entry = snapshot.load(found[key])
                if word <= written_words(" ".join((entry.text, *entry.heading))):
                    forms[key] = WordForm.AS_WRITTEN
        return forms
    days = [range(one.first.toordinal(), one.last.toordinal() + 1) for one in periods]
    of_day = (key for key, match in found.items() if any(match.day in some for some in days))
    return dict.fromkeys(of_day, WordForm.OF_DAY)
