"""What an agent is given together with a message, without having asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from indexing.document import entry_key
from indexing.search.answer import Query
from workbench.agent.abstracts import abstracts
from workbench.agent.context import Injection
from workbench.agent.context_selection import ContextCandidate, ContextSelection
from workbench.agent.relevance import RelevanceOf
from workbench.agent.scopes import Scoped, SearchScope, ask
from workbench.agent.trivial_messages import why_trivial
from workbench.config.settings import Settings
from workbench.errors import WorkbenchError
from workbench.memory.claims import claim_key
from workbench.memory.origin import names_of
from workbench.workspace.owner import owner_name_of

LOOKED_AT = 25
"""Hits of which those worth giving are chosen."""
_READ = 4_000
"""Characters of a message that are looked for."""


def inject(
    scopes: tuple[SearchScope, ...],
    message: str,
    *,
    settings: Settings,
    user: str = "",
    now: datetime,
    memory_loaded: bool = True,
) -> Injection:
    """What is given with ``message``: at most as many entries and tokens as the settings allow.

    ``memory_loaded`` says that the agent has MEMORY.md before it already, as most have. Raises
    IndexUnavailableError.
    """
    if why := why_trivial(message):
        return Injection(skipped_because=why)
    query = Query(message[:_READ], k=LOOKED_AT, plain=True, user=user)
    found, notes = list[ContextCandidate](), list[str]()
    for one in ask(scopes, query):
        if one.answer is None:
            notes.append(one.unavailable)
            continue
        answer = one.answer
        notes += (note for note in (answer.degraded, answer.stale, *answer.notes) if note)
        found += _found(one, query)
    known = _claims_of_memory(scopes[0]) if memory_loaded else frozenset()
    chosen = ContextSelection(
        settings, now.date(), known, memory_loaded=memory_loaded, owner=_owner(scopes[0])
    )
    for candidate in sorted(found, key=lambda one: (bool(one.scope.mark), -one.order)):
        chosen.consider(candidate)
    return chosen.injection(max((one.relevance.score for one in found), default=0.0), notes)


def _found(one: Scoped, query: Query) -> Iterator[ContextCandidate]:
    assert one.answer is not None
    pool = one.scope.searcher.pool(query)
    relevance = RelevanceOf(pool)
    for hit in one.answer.hits:
        key = entry_key(hit.entry)
        if key in pool.matches:
            stored = pool.entry(key)
            context = " ".join((stored.text, *stored.heading, *stored.facets.names))
            yield ContextCandidate(one.scope, hit, stored, relevance.of(key, context))
    yield from abstracts(one.scope, one.answer, pool, relevance)


def _owner(scope: SearchScope) -> frozenset[str]:
    try:
        return names_of(owner_name_of(scope.workspace))
    except (WorkbenchError, OSError):
        return frozenset()  # without a name the owner's mark is `User:`


def _claims_of_memory(scope: SearchScope) -> frozenset[str]:
    try:
        return frozenset(claim_key(entry.text) for entry in scope.workspace.memory_document().entries)
    except (WorkbenchError, OSError):
        return frozenset()  # a MEMORY.md that cannot be read was not loaded either
