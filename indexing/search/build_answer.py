"""From a pool to hits that stand on the disk: ranked, checked, shown, explained.

The part of an entry that is shown, and which words in it were asked for.

Every hit against the disk: what moved has new lines, what is gone does not answer.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, lru_cache
from itertools import groupby, islice
from typing import Any

from indexing.document import Stored
from indexing.facets import user_code, user_in
from indexing.lexical.terms import NO_TERMS, Terms, stemmed, words
from indexing.query.dates import Period, days_alone, periods_in
from indexing.query.language import understand
from indexing.query.question import Question
from indexing.ranking.order import Candidate, Ranked, diversified, explain, parts_of, rank
from indexing.ranking.weights import Weights
from indexing.search.answer import SNIPPET_CHARACTERS, Hit, Query, SearchAnswer
from indexing.search.candidates import Candidates
from indexing.search.modes import Mode
from indexing.sync.generations import RACY_NS
from indexing.sync.sources import IndexSources
from indexing.words import JOINED, WORD, date_words, exact_tokens, normal
from workbench.errors import WorkbenchError
from workbench.frozen import frozen
from workbench.memory.claims import bag_of_words
from workbench.memory.entry import Entry, is_outside
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

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
    start = _start(text, _best(found_in(text, terms)))
    room = SNIPPET_CHARACTERS - 1 - bool(start)
    end = len(text) if start + room >= len(text) else _end(text, start + room)
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


def _start(text: str, at: int) -> int:
    """Where to begin, so that ``at`` has something before it and no word is cut."""
    if at <= _LEAD:
        return 0
    start = min(at - _LEAD, max(0, len(text) - SNIPPET_CHARACTERS + 2))
    for place in range(start, min(start + _REACH, at)):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    return next((place for place in range(start, at) if _BEGINS.match(text, place)), at)


def _end(text: str, end: int) -> int:
    """Where to end, at ``end`` or before it, so that no word is cut."""
    if text[end].isspace():
        return end
    for place in range(end, end - _REACH, -1):
        if text[place - 1].isspace():
            return place
    return next((place for place in range(end, 0, -1) if _BEGINS.match(text, place)), end)


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
        return replace(
            stored,
            start_line=found.start_line,
            end_line=found.end_line,
            heading=found.heading,
            date=found.date,
            text=found.text,
        )

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


@frozen
class _Row:
    """A candidate and its entry on the disk; ``neighbour`` as in ``Hit``, ``alike`` as in ``parts_of``."""

    ranked: Ranked
    entry: Stored
    neighbour: bool
    alike: float | None = None

    @property
    def section(self) -> tuple[str, tuple[str, ...]]:
        """The file and the heading: entries of one section are neighbours of each other."""
        return self.entry.path, self.entry.heading


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

    def _standing(self, ranked: Sequence[Ranked], pool: Candidates, disk: ValidationPass) -> Iterator[_Row]:
        """What stands on the disk; of a text that the user who asks has a copy of, only the copy."""
        own = {pool.entry(one.key).hash for one in pool.candidates if self._is_own(one)}
        for one in ranked:
            entry = disk.now(pool.entry(one.candidate.key))
            if entry is not None and (entry.hash not in own or self._is_own(one.candidate)):
                yield self._row(one, entry)

    def _is_own(self, candidate: Candidate) -> bool:
        return self.user != 0 and user_in(candidate.marks) == self.user

    def _row(self, one: Ranked, entry: Stored) -> _Row:
        lends = one.candidate.bm25 > 0 and bool(self.terms)
        return _Row(one, entry, neighbour=lends and not found_in(_own_words(entry), self.terms))

    def _below_their_matches(
        self, rows: list[_Row], ranked: Sequence[Ranked], pool: Candidates, disk: ValidationPass
    ) -> list[_Row]:
        """The same rows, but no neighbour above the match that it owes its words to; no more than before."""
        neighbours = [row for row in rows if row.neighbour]
        if not neighbours:
            return rows
        matches = list(self._matches({row.section for row in neighbours}, ranked, pool, disk))
        order = list(rows)
        for row in neighbours:
            near = [one for one in matches if one.section == row.section]
            if not near:
                continue
            match = min(near, key=lambda one: abs(one.entry.start_line - row.entry.start_line))
            at = order.index(row)
            above = next((place for place, one in enumerate(order) if one.ranked is match.ranked), None)
            if above is None:
                order.insert(at, match)
            elif above > at:
                order.insert(above, order.pop(at))
        return order[: len(rows)]

    def _matches(
        self,
        sections: set[tuple[str, tuple[str, ...]]],
        ranked: Sequence[Ranked],
        pool: Candidates,
        disk: ValidationPass,
    ) -> Iterator[_Row]:
        """The entries of these sections that have words of the question themselves, best first."""
        for one in ranked:
            stored = pool.entry(one.candidate.key)
            if one.candidate.bm25 > 0 and (stored.path, stored.heading) in sections:
                entry = disk.now(stored)
                if entry is not None and not (row := self._row(one, entry)).neighbour:
                    yield row

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


def _own_words(entry: Stored) -> str:
    """What an entry is found by without its neighbours: see ``indexed_words``."""
    facets = entry.facets
    own = normal(" ".join((entry.text, *entry.heading, *facets.names, *facets.ids)))
    return f"{own} {date_words(entry.date)}"
