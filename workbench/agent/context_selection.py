"""Which of the entries that were found are given: what may be said, is not said yet, and has room."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from indexing.document import Stored
from indexing.search.answer import Hit
from workbench.agent.context import ContextLine, Injection, LeftOut, text_of
from workbench.agent.exclusion_policy import why_by_origin, why_flagged, why_not_from, why_over
from workbench.agent.fence import as_line, tokens
from workbench.agent.relevance import Relevance
from workbench.agent.scopes import SearchScope
from workbench.config.settings import Settings
from workbench.errors import WorkbenchError
from workbench.memory.address import find_entry
from workbench.memory.claims import claim_key, claim_words
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.episode_page import split_turns
from workbench.memory.markdown import Document
from workbench.memory.names import is_outside
from workbench.memory.origin import Origin, OriginReader
from workbench.plural import plural

_ALIKE = 0.8
"""Share of common words (Jaccard) from which two lines say the same."""
_NEGATIONS = frozenset(
    ("not", "no", "never", "without", "isn't", "don't", "nicht", "kein", "keine", "pas", "nie")
)
_FEWEST_WORDS = 2
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d| ?[A-Z][\w/+-]{1,40})?))?"
)
"""A day, with a time and a zone where one is given."""
_LISTED = 10


@dataclass(frozen=True, slots=True)
class ContextCandidate:
    """A hit with what the index knows of it. ``order`` is relevance with what ranking adds to it."""

    scope: SearchScope
    hit: Hit
    stored: Stored
    relevance: Relevance

    @property
    def is_abstract(self) -> bool:
        """Whether it is the abstract of an episode, which is named by its page, and no entry."""
        return "#" not in self.hit.entry

    @property
    def order(self) -> float:
        """What to sort by, the highest first."""
        scores = self.hit.scores
        return (
            self.relevance.score
            * scores.recency
            * scores.boost
            * scores.importance
            * scores.pin
            * scores.user
        )


class ContextSelection:
    """Takes candidates, the best first, for as long as there is room."""

    def __init__(
        self,
        settings: Settings,
        today: date,
        known: frozenset[str],
        *,
        memory_loaded: bool,
        owner: frozenset[str] = frozenset(),
    ) -> None:
        self._settings = settings
        self._today = today
        self._known = known
        self._loaded = memory_loaded
        self._lines: list[ContextLine] = []
        self._said: list[frozenset[str]] = []
        self._left_out: list[LeftOut] = []
        self._below: list[LeftOut] = []
        self._matches = 0
        self._documents: dict[tuple[str, str], Document] = {}
        self._readers: dict[tuple[str, str], OriginReader] = {}
        self._owner = owner
        self._when: dict[tuple[str, str], str] = {}
        self._trust: dict[tuple[str, str], str] = {}

    def consider(self, one: ContextCandidate) -> None:
        """Take it, or note why not."""
        score = one.relevance.score
        if score < self._settings.inject_threshold:
            below = f"{score:.2f} is below the threshold of {self._settings.inject_threshold:.2f}"
            self._below.append(LeftOut(one.scope.address(one.hit.entry), below, score))
            return
        why = self._why_not(one)
        if why is None:
            self._matches += 1
            named = one.scope.mark, one.hit.entry
            line = _line(one, self._when.get(named, ""), self._trust.get(named) or one.stored.facets.trust)
            why = self._no_room(line)
            if why is None:
                self._lines.append(line)
                self._said.append(_words(one))
        if why is not None:
            self._left_out.append(LeftOut(one.scope.address(one.hit.entry), why, score))

    def injection(self, top: float, notes: Sequence[str]) -> Injection:
        """What was taken; ``top`` is the best relevance that was met."""
        lines = tuple(self._lines)
        return Injection(
            match_count=self._matches,
            lines=lines,
            top_score=top,
            tokens=tokens(text_of(lines)) if lines else 0,
            left_out=tuple(self._left_out[:_LISTED]),
            below=tuple(sorted(self._below, key=lambda one: -one.score)[:_LISTED]),
            notes=tuple(dict.fromkeys(notes)),
        )

    def _why_not(self, one: ContextCandidate) -> str | None:
        path, kind = one.hit.path, one.hit.kind
        if why := why_not_from(path, kind, memory_loaded=self._loaded) or why_flagged(one.stored.text):
            return why
        if len(claim_words(one.stored.text)) < _FEWEST_WORDS:
            return "it says nothing by itself"
        if why := self._why_not_as_it_stands(one):
            return why
        if not one.scope.mark and claim_key(split_turns(one.stored.text)[0]) in self._known:
            return "MEMORY.md says it, and the agent has that already"
        words = _words(one)
        if any(_same(words, said) for said in self._said):
            return "another line says the same"
        return None

    def _why_not_as_it_stands(self, one: ContextCandidate) -> str | None:
        """What only the file itself says; of files beside the workspace nobody knows who wrote them."""
        if is_outside(one.hit.path):
            return why_by_origin(Origin.UNKNOWN, one.stored.text)
        if one.is_abstract:
            return why_by_origin(Origin(one.stored.facets.trust), one.stored.text)
        where = (one.scope.mark, one.hit.path)
        try:
            if where not in self._documents:
                self._documents[where] = one.scope.workspace.document(one.hit.path)
            entry = find_entry(self._documents[where], one.hit.entry)
        except (WorkbenchError, OSError):
            return "it is not on the disk any more"
        if entry.form is Form.HEADING:
            return "it is a heading"
        said = self._origins(where).said(entry)
        if why := why_by_origin(said.origin, said.words):
            return why
        self._when[one.scope.mark, one.hit.entry] = _when(entry, one.stored.facets.type)
        self._trust[one.scope.mark, one.hit.entry] = said.origin.value
        return why_over(entry.provenance.day("valid_until") if entry.provenance else None, self._today)

    def _origins(self, where: tuple[str, str]) -> OriginReader:
        if where not in self._readers:
            self._readers[where] = OriginReader(self._documents[where], owner=self._owner)
        return self._readers[where]

    def _no_room(self, line: ContextLine) -> str | None:
        if len(self._lines) >= self._settings.inject_entries:
            return f"{self._settings.inject_entries} entries are given already"
        if tokens(text_of((*self._lines, line))) > self._settings.inject_tokens:
            return f"no room: {plural(line.tokens, 'token')}, of {self._settings.inject_tokens} in all"
        return None


def _same(words: frozenset[str], said: frozenset[str]) -> bool:
    """Whether two lines say the same: most words are common, and no number or negation is only in one."""
    if any(word in _NEGATIONS or any(map(str.isdigit, word)) for word in words ^ said):
        return False
    return len(words & said) >= _ALIKE * len(words | said)


def _words(one: ContextCandidate) -> frozenset[str]:
    """What an entry says and of whom, without the type of a memory and the turns of an episode's line."""
    about = one.stored.facets.names[:1] if one.stored.kind is Kind.ENTITY else ()
    said = claim_words(split_turns(one.stored.text)[0])
    return frozenset((*said, *(word for name in about for word in claim_words(name))))


def _when(entry: Entry, type_: str) -> str:
    """When an event or a todo is, was or was done, as its comment says it; a time stays with its day."""
    said = entry.provenance
    if said is None:
        return ""
    due = "due" if type_ in ("todo", "goal") else "on"
    for word, name in (("done", "done"), (due, "happens_at"), ("on", "occurred_at")):
        if name == "occurred_at" and type_ != "event":
            continue
        if found := _MOMENT.match(said.get(name) or ""):
            return f"{word} {found['day']}" + (f" {found['time']}" if found["time"] else "")
    return "done" if (said.get("done") or "").lower() in ("true", "yes") else ""


def _shown(one: ContextCandidate) -> str:
    """The words of an entry that can be understood without its page."""
    text, names = one.stored.text, one.stored.facets.names
    if one.is_abstract:
        return as_line(f"Episode of {one.hit.date}: {text}" if one.hit.date else f"Episode: {text}")
    about = names[0] if one.stored.kind is Kind.ENTITY and names else ""
    return as_line(f"{about}: {text}" if about else text)


def _line(one: ContextCandidate, when: str, trust: str) -> ContextLine:
    facets = one.stored.facets
    line = ContextLine(
        entry=one.scope.address(one.hit.entry),
        path=one.hit.path,
        line=one.hit.start_line,
        text=_shown(one),
        score=one.relevance.score,
        parts=one.relevance.parts,
        words=one.relevance.words,
        trust=trust,
        sources=facets.sources,
        user=facets.user,
        day=one.hit.date,
        tokens=0,
        scope=one.scope.mark,
        claim=one.stored.text,
        when=when,
    )
    return replace(line, tokens=tokens(line.rendered))
