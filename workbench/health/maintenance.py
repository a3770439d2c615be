"""What is due: two files of curated memory, one over its budget, episodes whose time is over, no origin."""

from __future__ import annotations

import os
from collections.abc import Iterator

from workbench.health.corpus import CURATED, Corpus
from workbench.health.finding import Finding
from workbench.memory.entry import Kind
from workbench.memory.episode import read_episode
from workbench.memory.markdown import Document
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in
from workbench.workspace.layout import MEMORY_FILES


def both_memories(corpus: Corpus) -> Iterator[Finding]:
    """MEMORY.md and memory.md at once: an agent reads one of them, and nobody can say which."""
    first, second = (corpus.workspace.root / name for name in MEMORY_FILES)
    if first.is_file() and second.is_file() and not os.path.samefile(first, second):
        yield Finding(
            rule="two memories",
            severity="error",
            address=MEMORY_FILES[1],
            line=1,
            what=f"both {MEMORY_FILES[0]} and {MEMORY_FILES[1]} are there; {MEMORY_FILES[0]} is used here",
            do=f"`workbench move` what should stay to {MEMORY_FILES[0]}, then remove the other file",
        )


def over_budget(corpus: Corpus) -> Iterator[Finding]:
    """Curated memory that is longer than agents load."""
    path = corpus.workspace.memory_path()
    document = corpus.by_path.get(path)
    used = len(document.data.decode("utf-8", "replace")) if document else 0
    limit = corpus.workspace.settings.memory_budget
    if used > limit:
        yield Finding(
            rule="over budget",
            severity="warning",
            address=path,
            line=1,
            what=f"{used:,} of {limit:,} characters: what is at the end may not be loaded",
            do="`workbench archive` takes the least valuable entries out; `--dry-run` shows which",
        )


def expired(corpus: Corpus) -> Iterator[Finding]:
    """Episodes and curated entries whose own date of expiry has passed."""
    for document in corpus.documents:
        if document.kind is not Kind.EPISODE:
            continue
        episode = read_episode(document)
        if episode.expires_at and episode.expires_at < corpus.today and not episode.pinned:
            done = "it was promoted" if episode.promoted_at else "nothing of it was promoted"
            yield Finding(
                rule="expired",
                severity="info" if episode.promoted_at else "warning",
                address=document.path,
                line=1,
                what=f"its time was over on {episode.expires_at}; {done}",
                do=f"`workbench promote` what should last, then `workbench forget {document.path}`",
            )
    for entry in corpus.curated:
        day = entry.provenance.day("valid_until") if entry.provenance else None
        if day and day < corpus.today and not entry.pinned:
            yield Finding(
                rule="expired",
                severity="info" if entry.kind is Kind.ENTITY else "warning",  # a page keeps its history
                address=entry.path,
                line=entry.start_line,
                what=f"it held until {day}: {entry.plain_title[:80]}",
                do="`workbench edit`, `workbench archive` or `workbench forget` it",
            )


def unsaid(corpus: Corpus) -> Iterator[Finding]:
    """Curated entries that do not say where they come from, and logs without a date: one remark a file."""
    for document in corpus.documents:
        whole = [entry for entry in document.entries if entry.part == 1]
        if document.kind in CURATED:
            bare = [entry for entry in whole if entry.provenance is None]
            what = f"{len(bare)} of {len(whole)} entries do not say where they come from"
        elif document.kind in (Kind.LOG, Kind.EPISODE):
            bare = [entry for entry in whole if entry.date is None]
            what = f"{len(bare)} of {len(whole)} entries have no date"
        else:
            continue
        if bare:
            line = bare[0].start_line
            yield Finding(rule="unsaid", severity="info", address=document.path, line=line, what=what)


def secrets(corpus: Corpus) -> Iterator[Finding]:
    """Keys, tokens and passwords in any memory file."""
    for document in corpus.documents:
        text = document.data.decode("utf-8", "surrogateescape")
        for found in secrets_in(text):
            yield Finding(
                rule="secret",
                severity="error",
                address=document.path,
                line=found.line(text),
                what=f"{found.rule}: {found.shown}",
                do="make it invalid where it was issued, then `workbench forget` it; "
                "docs/purge.md takes it out of the history",
            )


def hidden(corpus: Corpus) -> Iterator[Finding]:
    """Text that an agent reads and a person does not see."""
    for document in corpus.documents:
        yield from _hidden(document)


def _hidden(document: Document) -> Iterator[Finding]:
    text = document.data.decode("utf-8", "surrogateescape")
    for found in hidden_in(text):
        yield Finding(
            rule="hidden text",
            severity="warning",
            address=document.path,
            line=found.line(text),
            what=f"{found.rule}: {found.shown}",
            do="`workbench flagged` shows all of it; `workbench quarantine` sets its entry aside",
        )
