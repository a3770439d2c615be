"""The answer to a question: candidates are gathered, ranked, checked against the disk, and shown."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cache, lru_cache
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from indexing.document import Stored, as_stored, user_code, user_in
from indexing.embedding.port import Vectors
from indexing.lexical.index import Snapshot
from indexing.lexical.terms import NO_TERMS, Terms, stemmed, words
from indexing.query.dates import Period, days_alone, periods_in
from indexing.query.question import Filters, Question, WordForm, understand
from indexing.ranking.order import Candidate, Ranked, Weights, diversified, explain, parts_of, rank
from indexing.search.answer import SNIPPET_CHARACTERS, Hit, Query, SearchAnswer
from indexing.search.modes import Mode
from indexing.sync.freshness import without_vector
from indexing.sync.generations import RACY_NS
from indexing.sync.sources import IndexSources
from indexing.words import JOINED, WORD, date_words, exact_tokens, normal, written_words
from workbench.errors import WorkbenchError
from workbench.frozen import frozen
from workbench.memory.claims import bag_of_words
from workbench.memory.entry import Entry, is_outside
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.vectors import VectorReader


NO_WORDS = "no entry has these words; showing the closest by meaning"
NO_WORDS_TO_READ = (
    "no entry has these words, and the model reads only English; `--mode semantic` shows the closest"
)
NO_WORDS_WITHIN = "no entry with these filters has these words; showing the closest by meaning"
_MOST_PERIODS = 3
_UNREADABLE = 0.5
"""Share of words in another language than that of the model from which on what is near is chance."""


# -- what is ranked for a question -------------------------------------------------------------------


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


def gathered(
    snapshot: Snapshot,
    question: Question,
    periods: Sequence[Period],
    size: int,
    mode: Mode,
    *,
    nearby: NearbyVectors | None = None,
    degraded: str | None = None,
    unread: float = 0.0,
) -> Candidates:
    """The best by words, the nearest by meaning, and the entries of the days that the question names.

    Where no entry has a word of the question, and a share of ``unread`` in [0, 1] of it is in a language that
    the model does not read, nothing is taken for near. Each has both scores, where there are vectors at all.
    Raises IndexUnavailableError.
    """
    dated = [on_days(question, one) for one in periods[:_MOST_PERIODS]]
    matches = [] if mode == "vector" else snapshot.search(question, size)
    is_unreadable = mode == "hybrid" and not matches and unread > _UNREADABLE
    if is_unreadable:
        nearby = None
    cosines: dict[int, float] = {}
    if nearby is not None:  # the nearest that meet the conditions of each
        for one in (question, *dated):
            allowed = snapshot.allowed(one) if one.narrows else None
            nearest = nearby.reader.nearest(nearby.vector, size, allowed)
            cosines.update(zip(nearest.keys.tolist(), nearest.cosines.tolist(), strict=True))
    enough = len(cosines) >= size
    strangers = cosines.keys() - {match.key for match in matches}
    every = [*matches, *snapshot.look_up(list(strangers), question)]
    if mode != "vector":
        every += snapshot.with_word(question, size)
    for one in dated:  # the best by their words, and the newest whatever their words
        every += snapshot.search(one, size)
        every += (replace(match, bm25=0.0) for match in snapshot.search(replace(one, text=""), size))
    found = {match.key: match for match in reversed(every)}  # of the same entry the first counts
    notes: tuple[str, ...] = (NO_WORDS_TO_READ,) if is_unreadable else ()
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
            for key, form in forms.items():
                if form is WordForm.AS_ASKED:
                    entry = snapshot.load(found[key])
                    if word <= written_words(" ".join((entry.text, *entry.heading))):
                        forms[key] = WordForm.AS_WRITTEN
        return forms
    days = [range(one.first.toordinal(), one.last.toordinal() + 1) for one in periods]
    of_day = (key for key, match in found.items() if any(match.day in some for some in days))
    return dict.fromkeys(of_day, WordForm.OF_DAY)


# -- the part of an entry that is shown, and which words in it were asked for ------------------------

_LEAD = 120
_REACH = 40
"""How far to go for a blank at which to begin or to end."""

_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2"
_BEGINS = re.compile(f"(?<![\u200d{_VIRAMAS}])(?<![\U0001f1e6-\U0001f1ff])[^\\s{JOINED}]")
"""A character before which a text may be cut."""


def snippet(text: str, terms: Terms) -> str:
    """``text`` itself where it is short, else the part of it with the most of what was asked for.

    At most ``SNIPPET_CHARACTERS`` characters; no word is cut, and where there are no words nothing that is
    seen as one character.
    """
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    at = _best(found_in(text, terms))
    start = min(at - _LEAD, len(text) - SNIPPET_CHARACTERS + 2)
    start = _cut(text, range(start, at + 1)) if start > 0 else 0
    while start and text[start].isspace():
        start += 1
    end = start + SNIPPET_CHARACTERS - 1 - bool(start)
    end = _cut(text, range(end, 0, -1)) if end < len(text) else len(text)
    return ("…" if start else "") + text[start:end].rstrip() + ("…" if end < len(text) else "")


def found_in(text: str, terms: Terms) -> list[tuple[int, int, str]]:
    """Character ranges of ``text`` in order, each with the term of the question that stands there."""
    wanted = {*terms.stems, *terms.guessed}
    found = []
    known: dict[str, str] = {}
    for match in WORD.finditer(text):
        word = match[0]
        if word not in known:
            known[word] = _asked(word, wanted, terms.beginning)
        if known[word]:
            found.append((*match.span(), known[word]))
    lower = text.lower()
    if len(lower) == len(text):
        for token in dict.fromkeys((*terms.exact, *terms.pairs, *terms.lone, *terms.openings)):
            found += [(*match.span(), token) for match in re.finditer(re.escape(token), lower)]
    return sorted(found)


def shared_words(terms: Terms, text: str) -> list[str]:
    """The words that were asked for as ``text`` has them, in lower case and in the order of the question."""
    standing = {term: text[start:end].lower() for start, end, term in reversed(found_in(text, terms))}
    return [standing[stem] for stem in (*terms.stems, *terms.guessed) if stem in standing]


def _asked(word: str, wanted: set[str], beginning: str) -> str:
    """The term of the question that ``word`` is, or nothing."""
    plain = normal(word)
    for stem in stemmed().analyze(plain):
        if stem in wanted:
            return stem
    if beginning and any(typed.startswith(beginning) for typed in words().analyze(plain)):
        return beginning
    return ""


def _best(found: list[tuple[int, int, str]]) -> int:
    """Where the stretch begins that has the most different terms, and of these the most of all."""
    reach = SNIPPET_CHARACTERS - 2 * _LEAD
    best, at = (0, 0), 0
    last = 0
    for first, (start, _, _) in enumerate(found):
        while last < len(found) and found[last][1] <= start + reach:
            last += 1
        here = found[first:last]
        if (worth := (len({term for _, _, term in here}), len(here))) > best:
            best, at = worth, start
    return at


def _cut(text: str, places: range) -> int:
    """The first of ``places`` at which no word is cut, else the first at which no character is."""
    near = (at for at in places[:_REACH] if text[at - 1].isspace() or text[at].isspace())
    return next(near, next((at for at in places if _BEGINS.match(text, at)), places[0]))


# -- every hit against the disk: what moved has new lines, what is gone does not answer --------------

_KEPT_FILES = 32
_KEPT_DIGESTS = 20_000

_Look = tuple[int, int, int]
_Entries = dict[tuple[str, int], Entry]


class HitValidator:
    """Compares hits with the files they came from; keeps what it learnt, by each file's stamp."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.sources = IndexSources(workspace)
        self._root = os.path.realpath(workspace.root)
        self._digest = lru_cache(_KEPT_DIGESTS)(self._digest_anew)
        self.entries = lru_cache(_KEPT_FILES)(self._entries_anew)

    def begin(self) -> ValidationPass:
        """One search's view of the disk: each file is looked at once."""
        self.sources = IndexSources(self.workspace)
        return ValidationPass(self)

    def is_real(self, folder: str) -> bool:
        """Whether no link leads to ``folder``, which is a path as the index calls it."""
        whole = folder if is_outside(folder) else os.path.join(self._root, folder).rstrip("/")
        return os.path.realpath(whole) == whole

    def digest(self, path: str, seen: _Look, size: int, *, racy: bool) -> str:
        """The digest of a file that looks like ``seen``; read again each time when that is ``racy``.

        So it is while the file is so young that it may change and look the same. Of a transcript it is that
        of the first ``size`` bytes. Raises OSError and WorkbenchError.
        """
        young = time.time_ns() - seen[1] < RACY_NS
        return self._digest_anew(path, seen, size) if racy or young else self._digest(path, seen, size)

    def _digest_anew(self, path: str, _seen: _Look, size: int) -> str:
        return self.sources.sha256(path, size)

    def _entries_anew(self, path: str, _seen: _Look, _digest: str) -> _Entries:
        """The entries of a file of this look and digest. Raises OSError and WorkbenchError."""
        return {(entry.hash, entry.ordinal): entry for entry in self.sources.document(path).entries}


class ValidationPass:
    """The files of one answer. ``changed`` are those that are not what was indexed.

    ``absent`` are those of a source that is not there now, by the name of the source.
    """

    def __init__(self, recheck: HitValidator) -> None:
        self.recheck = recheck
        self.changed: set[str] = set()
        self.absent: dict[str, set[str]] = {}
        self._seen = cache(self._look)
        self._is_real = cache(recheck.is_real)

    def now(self, stored: Stored) -> Stored | None:
        """The entry as it stands on disk, or None when it is gone."""
        path, stamp = stored.path, stored.stamp
        seen = self._seen(path)
        if seen is None:
            return None
        if seen == (stamp.size, stamp.ctime_ns, stamp.inode) and not stamp.racy:
            return stored
        try:
            digest = self.recheck.digest(path, seen, stamp.size, racy=stamp.racy)
            if digest == stamp.digest:
                return stored
            found = self.recheck.entries(path, seen, digest).get((stored.hash, stored.ordinal))
        except (OSError, WorkbenchError):
            found = None
        self.changed.add(path)
        if found is None:
            return None
        return as_stored(found, stamp, stored.facets)

    def _look(self, path: str) -> _Look | None:
        """Size, ctime and inode of a file as it is, or None when it is gone or no longer to be searched."""
        sources = self.recheck.sources
        # No sync enters a folder through a link.
        if sources.holds(path) and self._is_real(os.path.dirname(path)):
            with contextlib.suppress(OSError, ValueError):
                status = os.lstat(os.path.join(sources.workspace.root, path))
                return (status.st_size, status.st_ctime_ns, status.st_ino)
        source = sources.keeps(path) if is_outside(path) else None
        (self.absent.setdefault(source.name, set()) if source else self.changed).add(path)
        return None

    def notes(self) -> tuple[str, ...]:
        """What keeps files from answering that no sync can change."""
        return tuple(
            f"{name} cannot be read; {len(paths)} of its files would be among the hits"
            for name, paths in sorted(self.absent.items())
        )

    def stale(self) -> str | None:
        """Why the index is behind, as far as this answer shows."""
        if not self.changed:
            return None
        files = plural(len(self.changed), "file")
        return f"{files} among the hits changed since indexing; run `workbench reindex`"


# -- from a pool to hits -----------------------------------------------------------------------------


@frozen
class _Row:
    """A candidate and its entry on the disk; ``neighbour`` as in ``Hit``, ``alike`` as in ``parts_of``."""

    ranked: Ranked
    entry: Stored
    neighbour: bool
    alike: float | None = None


@frozen
class TimedQuery:
    """A query as it was understood, and when it came (``time.perf_counter``).

    ``weights`` are those to rank by, ``periods`` the days that it names, ``user`` the ``user_code`` of who
    asks, ``terms`` what the index at hand is asked for.
    """

    query: Query
    question: Question
    started: float
    weights: Weights
    today: date
    periods: tuple[Period, ...] = ()
    user: int = 0
    terms: Terms = NO_TERMS

    @property
    def days(self) -> tuple[Period, ...]:
        """The periods of which all entries are looked at."""
        return self.periods if self.weights.date else ()

    def ranked(self, candidates: Iterable[Candidate], mode: Mode) -> list[Ranked]:
        """The candidates, best first; by vectors alone where ``mode`` says so."""
        weights = replace(self.weights, vector=1.0, lexical=0.0) if mode == "vector" else self.weights
        exact = self.question.exact
        return rank(candidates, weights, self.today, periods=self.periods, user=self.user, exact=exact)

    def hits(self, pool: Candidates, disk: ValidationPass) -> tuple[Hit, ...]:
        """The first of the pool that stand on the disk now. Raises IndexUnavailableError."""
        # What is gone must neither answer nor push away what is there.
        ranked, diversity = self.ranked(pool.candidates, pool.mode), self.weights.diversity
        wanted = self.query.k if diversity == 1.0 else 2 * self.query.k
        rows = list(islice(self._standing(ranked, pool, disk), wanted))
        if diversity < 1.0:
            rows = self._diverse(rows, diversity)
        rows = self._below_their_matches(rows[: self.query.k], ranked, pool, disk)
        return tuple(self._hit(number, row) for number, row in enumerate(rows, 1))

    def _standing(self, ranked: Iterable[Ranked], pool: Candidates, disk: ValidationPass) -> Iterator[_Row]:
        """What stands on the disk; of a text that the user who asks has a copy of, only the copy."""
        own = {pool.entry(one.key).hash for one in pool.candidates if self._is_own(one)}
        for one in ranked:
            entry = disk.now(pool.entry(one.candidate.key))
            if entry is not None and (entry.hash not in own or self._is_own(one.candidate)):
                lends = one.candidate.bm25 > 0 and bool(self.terms)
                yield _Row(one, entry, neighbour=lends and not found_in(_own_words(entry), self.terms))

    def _is_own(self, candidate: Candidate) -> bool:
        return self.user != 0 and user_in(candidate.marks) == self.user

    def _below_their_matches(
        self, rows: list[_Row], ranked: Sequence[Ranked], pool: Candidates, disk: ValidationPass
    ) -> list[_Row]:
        """The same rows, but no neighbour above the match that it owes its words to; no more than before."""
        neighbours = [row for row in rows if row.neighbour]
        if not neighbours:
            return rows
        sections = {_section(row.entry) for row in neighbours}
        near = (
            one
            for one in ranked
            if one.candidate.bm25 > 0 and _section(pool.entry(one.candidate.key)) in sections
        )
        matches = [row for row in self._standing(near, pool, disk) if not row.neighbour]
        order = list(rows)
        for row in neighbours:
            same = [one for one in matches if _section(one.entry) == _section(row.entry)]
            if not same:
                continue
            match = min(same, key=lambda one: abs(one.entry.start_line - row.entry.start_line))
            at = order.index(row)
            above = next((place for place, one in enumerate(order) if one.ranked is match.ranked), None)
            if above is None:
                order.insert(at, match)
            elif above > at:
                order.insert(above, order.pop(at))
        return order[: len(rows)]

    def answer(
        self, pool: Candidates, hits: tuple[Hit, ...], disk: ValidationPass, generation: str
    ) -> SearchAnswer:
        """The answer with these hits."""
        return SearchAnswer(
            query=self.query.text,
            mode=pool.mode,
            took_ms=(time.perf_counter() - self.started) * 1e3,
            generation=generation,
            stale=disk.stale(),
            degraded=pool.degraded,
            notes=(*self.question.notes, *self._notes(pool), *(pool.notes if hits else ()), *disk.notes()),
            hits=hits,
            weights=self.weights if self.query.explain else None,
        )

    def _notes(self, pool: Candidates) -> tuple[str, ...]:
        if not self.user or any(map(self._is_own, pool.candidates)):
            return ()
        return (f"no entries of user {self.query.user.strip()}; these belong to no user",)

    def _diverse(self, rows: Sequence[_Row], balance: float) -> list[_Row]:
        """The rows in the order in which near-duplicates make room; the word of a question still decides."""
        order: list[_Row] = []
        for _, group in groupby(rows, lambda row: row.ranked.candidate.word):
            some = list(group)
            scores = [row.ranked.score for row in some]
            words = [bag_of_words(row.entry.text) for row in some]
            chosen = diversified(scores, words, self.query.k, balance)
            order += [replace(some[at], alike=alike) for at, alike in chosen]
        return order

    def _hit(self, number: int, row: _Row) -> Hit:
        one, entry = row.ranked, row.entry
        explained: dict[str, Any] = {}
        if self.query.explain:
            present = exact_tokens(normal(entry.text))
            exactly = (token for token in self.terms.exact if token in present)
            matched = [*shared_words(self.terms, entry.text), *exactly]
            exact, listed = self.question.exact, not self.question.text.strip()
            parts = parts_of(
                one,
                self.weights,
                matched,
                self.periods,
                row.alike,
                exact,
                listed=listed,
                neighbour=row.neighbour,
            )
            said = (*matched, *shared_words(self.terms, " ".join(entry.heading)))
            explained = {"explanation": explain(parts), "parts": parts, "words": said}
        return hit_of(number, one, entry, self.terms, neighbour=row.neighbour, **explained)


def understood(query: Query, today: date, weights: Weights) -> TimedQuery:
    """``query`` in its parts, days counted from ``today``; ``weights`` count where it brings none."""
    started = time.perf_counter()
    question = understand(query.text, today, within=query.filters, prefix=query.prefix, plain=query.plain)
    alone = () if question.phrases else days_alone(question.text, today)
    question = replace(question, is_day=bool(alone))
    weights = weights if query.weights is None else query.weights
    periods = alone or periods_in(question.text, today)
    return TimedQuery(query, question, started, weights, today, periods, user_code(query.user.strip()))


def hit_of(number: int, ranked: Ranked, entry: Stored, terms: Terms, **more: Any) -> Hit:
    """The hit at rank ``number``, with the part of it that has most of ``terms``, and ``more`` fields."""
    return Hit(
        rank=number,
        path=entry.path,
        start_line=entry.start_line,
        end_line=entry.end_line,
        kind=entry.kind,
        entry=entry.address,
        heading=entry.heading,
        date=entry.date,
        snippet=snippet(entry.text, terms),
        score=ranked.score,
        scores=ranked.scores,
        word=ranked.candidate.word,
        **more,
    )


def _section(entry: Stored) -> tuple[str, tuple[str, ...]]:
    """The file and the heading: entries of one section are neighbours of each other."""
    return entry.path, entry.heading


def _own_words(entry: Stored) -> str:
    """What an entry is found by without its neighbours: see ``indexed_words``."""
    facets = entry.facets
    own = normal(" ".join((entry.text, *entry.heading, *facets.names, *facets.ids)))
    return f"{own} {date_words(entry.date)}"
