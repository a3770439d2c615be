"""Search in several workspaces: each is asked by its own index, and their hits are put in one order.

A workspace that cannot be asked is named with the reason, and the others answer.
"""

from __future__ import annotations

import contextlib
import heapq
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from time import perf_counter

import msgspec

from indexing.document import Stored, entry_key
from indexing.embedding.choice import ModelChoice
from indexing.lexical.query_rewrite import question_terms
from indexing.lexical.terms import NO_TERMS, rarity, stemmed
from indexing.query.question import Filters
from indexing.ranking.order import DEFAULT, Weights, by_strength, weights_of
from indexing.search.answer import Hit, Query, SearchAnswer
from indexing.search.build_answer import Candidates
from indexing.search.index_search import IndexSearch, last_day, model_of_index
from indexing.sync.generations import Generations
from indexing.words import WORD, bigrams, normal
from workbench.agent.agent_text import as_line
from workbench.agent.search_update import FoundHit, SearchUpdate
from workbench.config.settings_report import tell
from workbench.errors import (
    IndexUnavailableError,
    NoWorkspaceError,
    UsageError,
    WorkbenchError,
    reason_of,
)
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Entry, Kind
from workbench.plural import plural
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.registry import RegisteredWorkspace
from workbench.workspace.workspace import Workspace

# -- the relevance of an entry to a message ----------------------------------------------------------

_NO_KEY = -1
RELEVANT, BESIDE_BEST = 0.2, 0.7
"""What a hit needs where only relevant ones are wanted; by ``benchmarks.precision``, flat around these."""


@frozen
class Relevance:
    """How much an entry has to do with a message, on a scale that means the same for every message.

    The score of a search is for ordering: its parts are divided by the best of what was found, so that the
    best of a bad lot has 1.0 too. This score, ``m * cosine + (1 - m) * coverage``, decides whether anything
    is to be said at all. ``coverage`` in [0, 1] is the share of the message's words that the entry has, each
    weighted by its rarity (inverse document frequency); ``cosine`` in [-1, 1] is None where there is no
    vector, and coverage then stands alone. ``meaning`` is m, in [0, 1], as in a search by default
    (``Weights.share_of``): 0.7, less for what is said exactly, and 0.1 in languages that the model does not
    read. ``words`` are those in common.

    On the demo workspace, with the default model, the best entry for a message about it has 0.37 to 0.74, the
    best for a message about something else 0.10 to 0.29: see ``tests/agent/test_threshold.py``.
    """

    cosine: float | None
    coverage: float
    words: tuple[str, ...] = ()
    meaning: float = 0.0

    @property
    def score(self) -> float:
        """Between 0 and 1."""
        return sum(self.parts.values())

    @property
    def parts(self) -> dict[str, float]:
        """What makes the score, by addition."""
        if self.cosine is None:
            return {"keyword": self.coverage}
        return {
            "semantic": self.meaning * max(0.0, self.cosine),
            "keyword": (1.0 - self.meaning) * self.coverage,
        }

    @property
    def why(self) -> str:
        """The score in words: ``0.62 = semantic 0.40 + keyword 0.22 (staging, port)``."""
        parts = " + ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
        shared = f" ({', '.join(map(as_line, self.words[:6]))})" if self.words else ""
        return f"{self.score:.2f} = {parts}{shared}"


class RelevanceOf:
    """The relevance of entries to what one pool was gathered for.

    ``rarity`` are the terms of the question with what each counts, where other indexes are asked too; else
    the rarity that they have in this one. ``begun`` is one of them that is only the beginning of a word.
    """

    def __init__(self, pool: Candidates, rarity: Mapping[str, float] | None = None, begun: str = "") -> None:
        self._pool = pool
        self._rarity = pool.snapshot.rarities(question_terms(pool.question)) if rarity is None else rarity
        self._begun = begun
        self._whole = sum(self._rarity.values())
        near = by_strength(pool.candidates)  # of what has no vector yet, as ranking takes it
        self._cosines = {one.key: cosine for one, (_, cosine) in zip(pool.candidates, near, strict=True)}
        self._has_vectors = any(one.cosine is not None for one in pool.candidates)
        self._meaning = DEFAULT.share_of(pool.question.exact)

    def stored(self, address: str) -> Stored | None:
        """The entry at ``address``; None where it is further down than the pool reaches."""
        key = entry_key(address)
        return self._pool.entry(key) if key in self._pool.matches else None

    def of_entry(self, stored: Stored) -> Relevance:
        """The relevance of an entry with its headings and the names of its page."""
        words = " ".join((stored.text, *stored.heading, *stored.facets.names))
        return self.of(entry_key(stored.address), words)

    def by_words(self, text: str) -> Relevance:
        """The relevance of ``text`` that no vector is known of: the share of the question's words it has."""
        return replace(self.of(_NO_KEY, text), cosine=None)

    def of(self, key: int, text: str) -> Relevance:
        """The relevance of the entry with this key, whose ``text`` is all that is to count: headings too."""
        plain = normal(text)
        standing = {stem: match[0] for match in WORD.finditer(plain) for stem in stemmed().analyze(match[0])}
        standing.update((pair, pair) for pair in bigrams(plain))
        begun = (word for word in standing.values() if self._begun and word.lower().startswith(self._begun))
        if whole := next(begun, None):
            standing[self._begun] = whole
        met = [term for term in self._rarity if term in standing]
        coverage = sum(self._rarity[term] for term in met) / self._whole if self._whole else 0.0
        cosine = self._cosines.get(key, 0.0) if self._has_vectors else None
        shared = tuple(dict.fromkeys(standing[term].lower() for term in met))
        return Relevance(cosine, coverage, shared, self._meaning)


def graph_relevance(
    searcher: IndexSearch, question: str, unnamed: str, user: str = ""
) -> Callable[[Entry, str], float]:
    """What tells the relevance of a line of the graph, whose words are given, to ``question``, in [0, 1].

    By its meaning where there are vectors, or by the words of the question beside its names (``unnamed``),
    whichever is more: every line that is ranked has to do with the names. Raises IndexUnavailableError.
    """
    asked = Query(question, filters=Filters(kinds=frozenset({Kind.ENTITY})), plain=True, user=user)
    _, pool = searcher.search_with_pool(asked)
    by_meaning = RelevanceOf(pool) if pool.mode != "lexical" else None
    by_words = RelevanceOf(searcher.search_with_pool(replace(asked, text=unnamed, mode="lexical"))[1])

    def relevance(entry: Entry, words: str) -> float:
        meant = by_meaning.of(entry_key(entry.address), words).score if by_meaning else 0.0
        return max(meant, by_words.by_words(words).score)

    return relevance


# -- whose memory is asked ---------------------------------------------------------------------------
# One's own comes first, a user's before everybody's, and a team leader's after one's own.

LEADER = "leader"
"""What is written before the addresses of a leader's entries: ``leader:memory/2026-03-14.md#…``."""
READ_ONLY = "memory is read-only for team members"


def marked(mark: str, address: str) -> str:
    """An address as it is told: that of another's memory with its mark before it."""
    return f"{mark}:{address}" if mark else address


@frozen
class SearchScope:
    """One workspace that is asked, and what is written before its addresses; empty for one's own.

    ``name`` is what it is called beside others; of equal hits, those of the first name come first. ``behind``
    is what its answers may lack, as was found when somebody looked.
    """

    workspace: Workspace
    searcher: IndexSearch
    mark: str = ""
    name: str = "a member's own memory"
    behind: str | None = None

    def address(self, entry: str) -> str:
        """``entry`` as an agent is told it."""
        return marked(self.mark, entry)

    def ask(self, query: Query) -> ScopeAnswer:
        """The answer, and what it was chosen from. Raises IndexUnavailableError."""
        answer, pool = self.searcher.search_with_pool(query)
        return ScopeAnswer(self, replace(answer, stale=answer.stale or self.behind), pool)


@frozen
class ScopeAnswer:
    """What one scope answered, and what its hits were chosen from."""

    scope: SearchScope
    answer: SearchAnswer
    pool: Candidates

    @property
    def model(self) -> ModelChoice | None:
        """The model of its cosines, if any."""
        return None if self.pool.mode == "lexical" else self.scope.searcher.model

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing from the answer, and what else is to be said of it; a leader's with the mark."""
        said = filter(None, (self.answer.degraded, self.answer.stale, *self.answer.notes))
        return tuple(f"{self.scope.mark}: {note}" if self.scope.mark else note for note in said)


def open_leader(workspace: Workspace) -> Workspace | None:
    """The workspace of the team's leader; None where there is no team, or where this is the leader's own.

    Raises UsageError where the settings name one that cannot be opened: a member must not write meanwhile.
    """
    named = workspace.settings.team_leader
    if not named:
        return None
    folder = Path(workspace.root, os.path.expanduser(named))
    if os.path.realpath(folder) == os.path.realpath(workspace.root):
        return None
    try:
        return Workspace.open(folder, lenient=True)
    except NoWorkspaceError as error:
        raise UsageError(
            f"team_leader is {named!r}, and there is no workspace",
            hint="set it to the leader's folder, or remove it",
        ) from error


# -- several workspaces asked as one -----------------------------------------------------------------

Opener = Callable[[Path], Workspace]
"""Opens one of the workspaces, or the moment of it that is asked about. Raises WorkbenchError."""


@frozen
class ScopeHit:
    """A hit, ranked ``hit.rank`` by its own scope; ``strength`` is what it counts beside those of others."""

    scope: SearchScope
    hit: Hit
    strength: float


@frozen_kw_only
class WorkspaceAnswer:
    """How one workspace answered; ``unavailable`` says why it did not."""

    workspace: str
    root: str
    state: str = "unavailable"
    stale: str | bool = False
    degraded: str | None = None
    unavailable: str | None = None


@frozen
class FederatedAnswer:
    """The hits of all that were asked, the best first; ``told`` is what else there is to say, without hits.

    ``asked`` is what each registered workspace said; nothing where a team was asked, whose member has the
    leader's hits among their own. Their scores are on the scale of both, and the parts of a score are those
    that the hit has in its own workspace. ``scopes`` are the answers that all this was made of. ``final``
    says that no better one follows.
    """

    told: SearchAnswer
    hits: tuple[ScopeHit, ...]
    asked: tuple[WorkspaceAnswer, ...] = ()
    scopes: tuple[ScopeAnswer, ...] = ()
    final: bool = True

    def with_notes(self, notes: Iterable[str]) -> FederatedAnswer:
        """The answer with these notes before its own."""
        return replace(self, told=replace(self.told, notes=once((*notes, *self.told.notes))))

    def measured(self) -> Iterator[tuple[ScopeHit, Stored | None, float | None]]:
        """Each hit, its entry, and its relevance; None where it is further down than the pool reaches."""
        relevance = {one.scope.workspace.root: RelevanceOf(one.pool) for one in self.scopes}
        for one in self.hits:
            own = relevance[one.scope.workspace.root]
            stored = own.stored(one.hit.entry)
            yield one, stored, own.of_entry(stored).score if stored else None

    @property
    def has_words(self) -> bool:
        """Whether words were asked for, and not conditions alone."""
        return any(one.pool.question.text.strip() for one in self.scopes)

    def relevant(self) -> FederatedAnswer:
        """Only hits of at least ``RELEVANT``, and of at least ``BESIDE_BEST`` of the most relevant one."""
        if not self.has_words:
            return self  # conditions alone: what meets them is all that was asked for
        measured = [(one, score or 0.0) for one, _, score in self.measured()]
        least = max(RELEVANT, BESIDE_BEST * max((score for _, score in measured), default=0.0))
        hits = tuple(one for one, score in measured if score >= least)
        if hits or not measured:
            return replace(self, hits=hits)
        left = plural(len(measured), "less relevant hit")
        shown = tuple(note for one in self.scopes for note in one.pool.notes)
        notes = [note for note in self.told.notes if not note.endswith(shown)]
        none = f"no relevant entry was found; {left} {'is' if len(measured) == 1 else 'are'} left out"
        return replace(self, hits=(), told=replace(self.told, notes=(*notes, none)))

    def update(self) -> SearchUpdate:
        """The same as it is shown while a person types; those that could not be asked are among its notes."""
        told = self.told
        lacking = (f"{one.workspace}: {one.unavailable}" for one in self.asked if one.unavailable)
        return SearchUpdate(
            query=told.query,
            hits=tuple(_found(one, named=bool(self.asked)) for one in self.hits),
            mode=told.mode,
            stale=told.stale,
            degraded=told.degraded,
            notes=(*told.notes, *lacking),
            final=self.final,
        )

    def as_json(self) -> dict[str, object]:
        """As the answer of one workspace, with what each workspace said, and whose a hit is."""
        said = self.told.as_json()
        if self.hits:
            said["state"] = "degraded" if self.told.degraded else "stale" if self.told.stale else "ok"
        if self.asked:
            del said["generation"]
            said["workspaces"] = [msgspec.to_builtins(one) for one in self.asked]
        rows = [_row(one, rank, everywhere=bool(self.asked)) for rank, one in enumerate(self.hits, 1)]
        return {**said, "hits": rows}


def _found(one: ScopeHit, *, named: bool) -> FoundHit:
    """A hit with its score beside those of other workspaces, which is ``named`` or a leader's."""
    scope = one.scope
    said = {**msgspec.to_builtins(one.hit), "score": one.strength}
    if named or scope.mark:
        said |= {"workspace": scope.name, "root": str(scope.workspace.root)}
    return msgspec.convert(said, FoundHit)


def _row(one: ScopeHit, rank: int, *, everywhere: bool) -> dict[str, object]:
    """A hit as JSON, with whose it is: of all workspaces by the name of its own, in a team by the mark."""
    scope, hit, strength = one.scope, one.hit, round(one.strength, 6)
    row = {**hit.as_json(), "rank": rank}
    root = str(scope.workspace.root)
    if everywhere:
        return {**row, "rank_there": hit.rank, "strength": strength, "workspace": scope.name, "root": root}
    row["score"] = strength
    if scope.mark:
        row |= {"scope": scope.mark, "root": root}
        row |= {"entry": scope.address(hit.entry), "path": scope.address(hit.path)}
    return row


def stream(
    search: Callable[..., FederatedAnswer], query: Query, roots: Iterable[Path]
) -> Iterator[FederatedAnswer]:
    """Keyword hits where semantic search follows, then the answer to ``query``. Raises as ``search`` does.

    It follows where there are words to look for, and vectors in an index of ``roots``.
    """
    lost: tuple[WorkspaceAnswer, ...] = ()
    if query.mode == "hybrid" and any(model_of_index(Generations(root / STATE_DIR)) for root in roots):
        first = search(replace(query, mode="lexical"))
        if not first.has_words:
            yield first
            return
        yield replace(first, final=False)
        lost = tuple(one for one in first.asked if one.unavailable)
    yield search(query, lost=lost) if lost else search(query)


class FederatedSearch:
    """Asks several workspaces. They stay open between questions; ``close`` ends their helpers.

    ``places`` are those that the next question is for. Without ``vectors`` by keyword only, and no model is
    loaded. ``today`` is the day from which ages count, that of a workspace in the past where none is given.
    ``catch_up`` is called for each when it is opened, and tells what its answers may lack. ``models`` are
    those that are in memory already. The indexes are asked one after the other, with one model in memory for
    all that were made by it.
    """

    def __init__(
        self,
        places: Sequence[RegisteredWorkspace] = (),
        *,
        vectors: bool,
        opener: Opener = Workspace.open,
        today: Callable[[], date] | None = None,
        catch_up: Callable[[Workspace], str | None] = lambda _: None,
        models: Iterable[ModelChoice] = (),
    ) -> None:
        self.places = places
        self._vectors = vectors
        self._opener = opener
        self._today = today
        self._catch_up = catch_up
        self._models = {model.identity: model for model in models}
        self._open: dict[RegisteredWorkspace, SearchScope] = {}

    def stream(self, query: Query) -> Iterator[FederatedAnswer]:
        """Keyword hits where semantic ones follow, then the answer. Raises as ``search`` does."""
        return stream(self.search, query, (one.root for one in self.places) if self._vectors else ())

    def search(self, query: Query, lost: Sequence[WorkspaceAnswer] = ()) -> FederatedAnswer:
        """The best of all of them but those that are ``lost``, which are not tried again.

        Raises IndexUnavailableError where none could be asked.
        """
        tried = {one.root: one for one in lost}
        started = perf_counter()
        query = query if query.weights is not None else replace(query, weights=own_weights())
        asked, found = list[WorkspaceAnswer](), list[ScopeAnswer]()
        for place in self.places:
            named = WorkspaceAnswer(workspace=place.name, root=str(place.root))
            if named.root in tried:
                asked.append(tried[named.root])
                continue
            try:
                one = self._ask(place, query)
            except (WorkbenchError, OSError) as error:
                self._forget(place)
                asked.append(replace(named, unavailable=reason_of(error)))
                continue
            answer = one.answer
            asked.append(
                replace(named, state=answer.state, stale=answer.stale or False, degraded=answer.degraded)
            )
            found.append(one)
        if asked and not found:
            why = "; ".join(f"{one.workspace}: {one.unavailable}" for one in asked)
            raise IndexUnavailableError(
                f"none of the workspaces could be searched: {why}",
                hint="`workbench workspaces list` shows more",
            )
        hits, notes = in_one_order(found, query.k)
        notes = [*(f"{one.scope.name}: {note}" for one in found for note in one.answer.notes), *notes]
        modes = {one.answer.mode for one in found if one.answer.hits}
        told = SearchAnswer(
            query=query.text,
            mode=next(iter(modes)) if len(modes) == 1 else query.mode if self._vectors else "lexical",
            took_ms=(perf_counter() - started) * 1e3,
            generation="",
            stale=_joined((one.workspace, one.stale) for one in asked),
            degraded=_joined((one.workspace, one.unavailable or one.degraded) for one in asked),
            notes=_common(notes, len(found)),
        )
        return FederatedAnswer(told, tuple(hits), tuple(asked), tuple(found))

    def close(self) -> None:
        """End what was opened."""
        for one in self._open.values():
            one.workspace.close()
        self._open.clear()

    def _ask(self, place: RegisteredWorkspace, query: Query) -> ScopeAnswer:
        if not place.there:
            raise NoWorkspaceError("its folder no longer exists")
        if place not in self._open:
            workspace = self._opener(place.root)
            today = self._today or last_day(workspace)
            made_by = model_of_index(Generations(workspace.state_path)) if self._vectors else None
            known = self._models.get(made_by or "")
            index = IndexSearch(workspace, vectors=self._vectors, today=today, model=known)
            opened = self._open[place] = SearchScope(workspace, index, name=place.name)
            self._open[place] = replace(opened, behind=self._catch_up(workspace))
        one = self._open[place].ask(query)
        if model := one.model:
            self._models.setdefault(model.identity, model)
        return one

    def _forget(self, place: RegisteredWorkspace) -> None:
        """It may have been removed and made anew: open it anew the next time."""
        if left := self._open.pop(place, None):
            with contextlib.suppress(WorkbenchError, OSError):
                left.workspace.close()


def own_weights() -> Weights:
    """The weights of the person's own settings, by which all workspaces are ranked. Raises UsageError.

    A ``workbench.yaml`` comes with memory, and must not put it before other memory.
    """
    return weights_of(tell(None).effective())


# -- one order ---------------------------------------------------------------------------------------
# The score of a search divides both sides by the best of its own index, so the best hit of a workspace that
# knows nothing of the matter has 1.0 like the best of one that does. Scores of two indexes say nothing about
# each other, and taking turns would give both the same: so each hit is measured again (``strengths_of``).


def ranked_scopes(asked: Sequence[ScopeAnswer], k: int) -> tuple[list[ScopeHit], list[str]]:
    """The best ``k`` hits of all scopes, and what is to be said of their scale.

    Where only one scope has hits, their scores are its own.
    """
    having = [one for one in asked if one.answer.hits]
    if len(having) > 1:
        return in_one_order(having, k)
    return [ScopeHit(one.scope, hit, hit.score) for one in having for hit in one.answer.hits], []


def in_one_order(found: Sequence[ScopeAnswer], k: int) -> tuple[list[ScopeHit], list[str]]:
    """The first ``k`` hits of all on one scale, the strongest first; and what is to be said of that scale.

    Within one workspace its own ranking stands: it knows more (phrases, fields, near-duplicates) than a
    strength does. The lists are merged from their heads, the strongest head first; of equals the better
    placed, then by the names of the workspaces. So the order is always the same, copies of a workspace
    alternate, and a workspace without a good answer does not stand before one that has it. Where a question
    has no words, the newest head comes first. Of a question of one word, those that have it come before the
    others, as they do in each list.
    """
    strengths, notes = strengths_of(found)
    wordless = all(not one.pool.question.text.strip() for one in found)

    def place(one: ScopeHit) -> tuple[int, float, int, int, str]:
        day = one.hit.date.toordinal() if wordless and one.hit.date else 0
        return -one.hit.word, -round(one.strength, 6), -day, one.hit.rank, one.scope.name

    lists = (
        map(partial(ScopeHit, one.scope), one.answer.hits, counted)
        for one, counted in zip(found, strengths, strict=True)
    )
    return list(islice(heapq.merge(*lists, key=place), k)), notes


def strengths_of(found: Sequence[ScopeAnswer]) -> tuple[list[list[float]], list[str]]:
    """The strength of each hit of each answer, all on one scale; and what is to be said of that scale.

    The strength is ``Scores.total`` with the ``Relevance`` to the question in the place of the divided sides:
    the rarity of a word is counted over all entries of all these workspaces together, the day that the
    question names is added, and age, kind, importance, pins and users are the same factors as in one search.
    A hit counts for as much as the strongest of those that its workspace put behind it. Cosines are compared
    only where all hits come from vectors of one model; else keyword scores alone are compared, and a note
    says so.
    """
    having = [one for one in found if one.answer.hits]
    weights, begun = _joint_rarity([one.pool for one in having])
    models = {one.scope.name: one.model.identity if one.model else None for one in having}
    meaning = len(set(models.values())) == 1 and None not in models.values()
    notes = []
    if not meaning and any(models.values()):
        without = [name for name, model in models.items() if model is None]
        lacks = f"{', '.join(without)} has no vectors to compare"
        why = lacks if without else "their vectors are of several models"
        notes.append(f"hits of different workspaces were compared by keyword only: {why}")
    own = (list(_strengths(one, weights, begun, meaning=meaning)) for one in found)
    # A hit counts for as much as the strongest of those that its workspace put behind it.
    return [list(accumulate(reversed(one), max))[::-1] for one in own], notes


def _joint_rarity(pools: Sequence[Candidates]) -> tuple[dict[str, float], str]:
    """What each word of the question counts over all entries of all, and the word that is only begun."""
    questions = [question_terms(pool.question) for pool in pools]
    stems = dict.fromkeys(stem for terms in questions for stem in terms.stems)
    pairs = dict.fromkeys(pair for terms in questions for pair in terms.pairs)
    all_terms = replace(NO_TERMS, stems=tuple(stems), pairs=tuple(pairs))
    counts: Counter[str] = Counter()
    for pool in pools:
        counts.update(pool.snapshot.frequencies(all_terms))
    entries = sum(pool.snapshot.count() for pool in pools)
    weights = {term: rarity(counts[term], entries) for term in (*stems, *pairs)}
    begun = next((terms.beginning for terms in questions if terms.beginning), "")
    if begun:
        weights[begun] = max(weights.get(begun, 0.0), rarity(1, max(entries, 1)))
    return weights, begun


def _strengths(one: ScopeAnswer, weights: dict[str, float], begun: str, *, meaning: bool) -> Iterator[float]:
    relevance = RelevanceOf(one.pool, weights, begun)
    for hit in one.answer.hits:
        stored = relevance.stored(hit.entry)
        if stored is None:
            yield 0.0  # found further down than the pool reaches: what stands behind it counts
            continue
        likeness = relevance.of_entry(stored)
        measured = likeness.score if meaning else likeness.coverage
        if meaning and one.pool.mode == "vector":
            measured = max(0.0, likeness.cosine or 0.0)
        yield replace(hit.scores, share=1.0, vector=measured).total


def _joined(said: Iterable[tuple[str, object]]) -> str | None:
    """What is said of each by its name, in one line; None where nothing is."""
    return "; ".join(f"{name}: {what}" for name, what in said if what) or None


def once(notes: Iterable[str]) -> tuple[str, ...]:
    """Each note once."""
    return tuple(dict.fromkeys(notes))


def _common(notes: Sequence[str], asked: int) -> tuple[str, ...]:
    """The notes, but one that all workspaces have alike without their names."""
    bare = [note.partition(": ")[2] for note in notes]
    common = {text for text in bare if text and bare.count(text) == asked > 1}
    return once(text if text in common else note for note, text in zip(notes, bare, strict=True))
