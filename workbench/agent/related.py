"""What belongs to an entry: where it came from and what was made of it, whom it names, what is like it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError
from workbench.frozen import frozen
from workbench.memory.entry import Entry, Kind, path_of, place_of, sources_of
from workbench.memory.provenance import Provenance
from workbench.workspace.workspace import Workspace

MOST = 8
QUESTION_LETTERS = 400
"""Of an entry's text that is asked for: the rest of a long one says no more about what it is like."""
_TITLE_LETTERS = 200
_SHARED, _LONG, _NEAR = 2, 4, 0.5
_WORD = re.compile(r"[\u2e80-\U0003ffff]{2}|\w+")


@frozen
class Related:
    """An entry, or a page, that belongs to another one, and why."""

    entry: str
    title: str
    why: str


def question_of(entry: Entry) -> dict[str, object]:
    """What to ask the index for entries like this one: a hybrid search, without a language of conditions."""
    text = " ".join(entry.text.split())[:QUESTION_LETTERS]
    return {"query": text, "plain": True, "k": MOST + 2, "mode": "hybrid", "reach": "own"}


def like(answer: SearchUpdate | None, entry: Entry) -> Iterator[Related]:
    """The hits of such a question that share words with the entry, but for itself and its copies."""
    words = _telling(entry.text)
    for hit in answer.hits if answer else ():
        if hit.digits != entry.hash:
            title = " ".join(hit.snippet.split())
            shared = len(words & _telling(title))
            if shared >= _SHARED or (answer and answer.mode == "hybrid" and shared and hit.score >= _NEAR):
                yield Related(hit.entry, title[:_TITLE_LETTERS], "is like it")


def like_by_words(workspace: Workspace, entry: Entry) -> SearchUpdate | None:
    """What a keyword search answers to that question; None where there is no index."""
    from indexing.search.answer import query_from_json  # noqa: PLC0415 - where no engine is wanted, too
    from workbench.agent.search_service import SearchService  # noqa: PLC0415

    service = SearchService(workspace, vectors=False)
    try:
        query = query_from_json({**question_of(entry), "mode": "lexical"}, service.index.weights)
        return service.search(query, "own").update()
    except WorkbenchError:
        return None


def kin(workspace: Workspace, entry: Entry) -> Iterator[Related]:
    """Where the entry came from, what was made of it, and what came from the same file."""
    curated = entry.kind is Kind.MEMORY
    if curated:
        yield from _sources(workspace, entry.provenance)
    here = _files(entry.provenance) if curated else {entry.path}
    try:
        memory = workspace.memory_document().entries
    except (OSError, WorkbenchError):
        return
    for other in memory:
        if other.address == entry.address or other.provenance is None:
            continue
        if not curated and sources_of(other) & {entry.hash, (entry.path, entry.start_line)}:
            yield Related(other.address, other.plain_title, "was created from it")
        elif curated and here & _files(other.provenance):
            yield Related(other.address, other.plain_title, "from the same file")


def named(entry: Entry, names: Iterable[tuple[str, str]]) -> Iterator[Related]:
    """The pages of what the entry speaks of; ``names`` are pairs of a name and its page."""
    text = f" {' '.join(entry.text.casefold().split())} "
    for name, page in names:
        small = name.casefold()
        at = text.find(small) if len(small) > 2 and page != entry.path else -1
        if at > 0 and not text[at - 1].isalnum() and not text[at + len(small)].isalnum():
            yield Related(page, name, "is named in it")


def _telling(text: str) -> set[str]:
    """The words of a text that say what it is about: all but the short ones, small."""
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= _LONG or word >= "\u2e80"}


def merged(*sorts: Iterable[Related], most: int = MOST) -> tuple[Related, ...]:
    """Each once, with its first reason, as many as are worth looking at."""
    found: dict[str, Related] = {}
    for sort in sorts:
        for one in sort:
            found.setdefault(one.entry, one)
    return tuple(found.values())[:most]


def _sources(workspace: Workspace, said: Provenance | None) -> Iterator[Related]:
    for place in map(place_of, said.all("src") if said else ()):
        if place is None:
            continue
        try:
            found = workspace.document(place[0]).at_line(place[1])
        except (OSError, WorkbenchError, ValueError):
            continue
        if found is not None:
            yield Related(found.address, found.plain_title, "is where it came from")


def _files(said: Provenance | None) -> set[str]:
    return {path_of(source) or source for source in said.all("src")} if said else set()
