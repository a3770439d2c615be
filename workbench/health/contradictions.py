"""Curated entries that give one thing two values, where a rule can tell: very little, said plainly.

What is read as a statement, ``workbench.graph.statements`` says. Two with the same subject and other values
contradict each other, unless one of them says that it is over. Those of the graph, which know more of what
they are about, are ``workbench.graph.contradictions``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from workbench.graph.statements import Statement, statement_in
from workbench.health.corpus import CURATED, Corpus, place_of
from workbench.health.finding import Finding
from workbench.memory.entry import Entry, Form, without_emphasis

_TYPE = re.compile(r"^\[[a-z_]+\]\s+")


def statement(entry: Entry) -> Statement | None:
    """The statement that an entry is, or None for all the others."""
    line = without_emphasis(_TYPE.sub("", entry.title))
    if entry.form not in (Form.ITEM, Form.PARAGRAPH) or len(entry.text.strip().splitlines()) > 1:
        return None
    return statement_in(line)


def contradictions(corpus: Corpus) -> Iterator[Finding]:
    """Pairs of curated entries that give one thing two values."""
    said: dict[tuple[str, ...], list[tuple[Entry, Statement]]] = defaultdict(list)
    for entry in corpus.entries:
        if entry.kind in CURATED and not _is_over(entry, corpus) and (found := statement(entry)):
            said[_about(entry, found)].append((entry, found))
    for group in said.values():
        first, one = group[0]
        others = [(entry, other) for entry, other in group[1:] if other.value != one.value]
        if not others:
            continue
        entry, other = others[0]
        yield Finding(
            rule="contradiction",
            severity="warning",
            address=first.path,
            line=first.start_line,
            what=f"{one.subject} is {one.shown} here and {other.shown} at {place_of(entry)}",
            do="keep the one that holds: `workbench edit`, `workbench merge` or `workbench forget`",
            also=tuple(place_of(entry) for entry, _ in others),
        )


def _about(entry: Entry, found: Statement) -> tuple[str, ...]:
    """Of whom it is said: a subject that names nobody (`Port: 1`) counts under its page and heading only."""
    if len(found.subject.split()) > 1:
        return (found.subject,)
    return (found.subject, entry.path, *entry.heading)


def _is_over(entry: Entry, corpus: Corpus) -> bool:
    provenance = entry.provenance
    if provenance is None:
        return False
    if provenance.get("superseded_by"):
        return True
    days = (provenance.day(name) for name in ("valid_until", "expires_at"))
    return any(day is not None and day < corpus.today for day in days)
