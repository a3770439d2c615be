"""Whose memory is asked, and how much an entry of it has to do with what is asked.

One's own memory is asked, a user's before everybody's, and a team leader's after one's own.

**Relevance** is on a scale that means the same for every message. The score of a search is for ordering: its
parts are divided by the best of what was found, so that the best of a bad lot has 1.0 too. To decide whether
anything is to be said at all, what was measured is needed: ``0.7 * cosine + 0.3 * coverage`` (the weights
that others give meaning and words), where ``coverage`` is the share of what the message asks for that the
entry has, each word by its rarity (inverse document frequency). On the demo workspace, with the default
model, the best entry for a message about it has 0.37 to 0.74, the best for a message about something else
0.10 to 0.29: see ``tests/agent/test_threshold.py``. Without vectors, coverage stands alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from indexing.document import Stored, entry_key
from indexing.embedding.choice import ModelChoice
from indexing.lexical.query_rewrite import question_terms
from indexing.lexical.schema import stemmed
from indexing.query.filters import Filters
from indexing.search.answer import Query, SearchAnswer
from indexing.search.candidates import Pool
from indexing.search.index_search import IndexSearch
from indexing.words import WORD, bigrams, normal
from workbench.agent.fenced_memory import as_line
from workbench.errors import NoWorkspaceError, UsageError, WorkspaceError
from workbench.memory.entry import Entry, Kind
from workbench.workspace.workspace import Workspace

_NO_KEY = -1
MEANING = 0.7
"""What the cosine counts; coverage counts the rest."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """``cosine`` in [-1, 1], None where there is no vector; ``coverage`` in [0, 1]; ``words`` are shared."""

    cosine: float | None
    coverage: float
    words: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """Between 0 and 1."""
        return sum(self.parts.values())

    @property
    def parts(self) -> dict[str, float]:
        """What makes the score, by addition."""
        if self.cosine is None:
            return {"words": self.coverage}
        return {"meaning": MEANING * max(0.0, self.cosine), "words": (1.0 - MEANING) * self.coverage}

    @property
    def why(self) -> str:
        """The score in words: ``0.62 = meaning 0.40 + words 0.22 (staging, port)``."""
        parts = " + ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
        shared = f" ({', '.join(map(as_line, self.words[:6]))})" if self.words else ""
        return f"{self.score:.2f} = {parts}{shared}"


class RelevanceOf:
    """The relevance of entries to what one pool was gathered for.

    ``rarity`` are the terms of the question with what each counts, where other indexes are asked too; else
    the rarity that they have in this one. ``begun`` is one of them that is only the beginning of a word.
    """

    def __init__(self, pool: Pool, rarity: Mapping[str, float] | None = None, begun: str = "") -> None:
        self._pool = pool
        self._rarity = pool.snapshot.rarities(question_terms(pool.question)) if rarity is None else rarity
        self._begun = begun
        self._whole = sum(self._rarity.values())
        self._cosines = {one.key: one.cosine for one in pool.candidates}
        self._meaning = any(one.cosine is not None for one in pool.candidates)

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
        if self._begun:
            whole = next((word for word in standing.values() if word.lower().startswith(self._begun)), None)
            standing.update({} if whole is None else {self._begun: whole})
        met = [term for term in self._rarity if term in standing]
        coverage = sum(self._rarity[term] for term in met) / self._whole if self._whole else 0.0
        cosine = (self._cosines.get(key) or 0.0) if self._meaning else None
        return Relevance(cosine, coverage, tuple(dict.fromkeys(standing[term].lower() for term in met)))


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


LEADER = "leader"
"""What is written before the addresses of a leader's entries: ``leader:memory/2026-03-14.md#…``."""
READ_ONLY = "memory is read-only for team members"


class ReadOnlyMemberError(WorkspaceError):
    """Who asks to write is a member of a team, whose memory is its leader's to write."""

    code = "read-only"

    def __init__(self) -> None:
        super().__init__(READ_ONLY)


def marked(mark: str, address: str) -> str:
    """An address as it is told: that of another's memory with its mark before it."""
    return f"{mark}:{address}" if mark else address


@dataclass(frozen=True, slots=True)
class SearchScope:
    """One workspace that is asked, and what is written before its addresses; empty for one's own.

    ``name`` is what it is called beside others; of equal hits, those of the first name come first.
    """

    workspace: Workspace
    searcher: IndexSearch
    mark: str = ""
    name: str = "a member's own memory"

    def address(self, entry: str) -> str:
        """``entry`` as an agent is told it."""
        return marked(self.mark, entry)

    def ask(self, query: Query) -> ScopeAnswer:
        """The answer, and what it was chosen from. Raises IndexUnavailableError."""
        answer, pool = self.searcher.search_with_pool(query)
        return ScopeAnswer(self, answer, pool, None if pool.mode == "lexical" else self.searcher.model)


@dataclass(frozen=True, slots=True)
class ScopeAnswer:
    """What one scope answered, what its hits were chosen from, and the model of its cosines, if any."""

    scope: SearchScope
    answer: SearchAnswer
    pool: Pool
    model: ModelChoice | None

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
            hint="name the leader's folder, or remove it",
        ) from error
