"""Everything that `check` remarks on: the rules as a list, over memory that is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from workbench.health import contradictions, duplicates, fading, links, maintenance
from workbench.health.corpus import Corpus, read_corpus
from workbench.health.finding import Finding, worst_first
from workbench.workspace.workspace import Workspace

RULES: tuple[Callable[[Corpus], Iterator[Finding]], ...] = (
    maintenance.secrets,
    maintenance.hidden,
    maintenance.both_memories,
    maintenance.over_budget,
    links.dead_links,
    links.dead_sources,
    contradictions.contradictions,
    duplicates.duplicates,
    maintenance.expired,
    maintenance.unsaid,
    fading.fading,
)


def lint(workspace: Workspace, today: date) -> tuple[list[Finding], int]:
    """All findings, the gravest first, and how many files were looked at. Writes nothing to memory."""
    corpus, found, _ = read_corpus(workspace, today)
    for rule in RULES:
        found += rule(corpus)
    return worst_first(found), len(corpus.documents)
