"""Abstracts of episodes as candidates for what is given with a message: one line for a whole session.

They stand in the header of a page, so the index, which holds what can be curated line by line, has none of
them. What they mean is what the nearest indexed line of their page means; a page none of whose lines is near
counts by its words alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexing.document import Stamp, Stored
from indexing.facets import Facets
from indexing.ranking.scores import Scores
from indexing.search.answer import Hit, SearchAnswer
from indexing.search.candidates import Pool
from workbench.agent.context_selection import ContextCandidate
from workbench.agent.relevance import RelevanceOf
from workbench.agent.scopes import SearchScope
from workbench.errors import WorkbenchError
from workbench.memory.entry import Kind
from workbench.memory.episode import FOLDER
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.provenance import TRUST, parse_day

MOST = 1_000
"""Episodes whose abstracts are read for one message, the newest by their paths."""
_NO_STAMP = Stamp(0, 0, 0, "")
_FIELD = b"\nl0_abstract:"


def abstracts(
    scope: SearchScope, answer: SearchAnswer, pool: Pool, relevance: RelevanceOf
) -> Iterator[ContextCandidate]:
    """The abstract of each episode, measured as entries are; ``hit.entry`` is the path of its page."""
    nearest = _nearest(pool)
    scores = {hit.path: hit.scores for hit in reversed(answer.hits)}
    for path in _pages(scope):
        try:
            stored = _stored(path, scope.workspace.read(path))
        except (WorkbenchError, OSError):
            continue  # a page that went away, or cannot be read, says nothing
        if stored is None:
            continue
        key = nearest.get(path)
        about = " ".join((stored.text, *stored.facets.names))
        measured = relevance.of(key, about) if key is not None else relevance.by_words(about)
        if key is None and not measured.words:
            continue
        hit = Hit(
            rank=0,
            path=path,
            start_line=stored.start_line,
            end_line=stored.end_line,
            kind=Kind.EPISODE,
            entry=path,
            heading=(),
            date=stored.date,
            snippet=stored.text,
            score=measured.score,
            scores=scores.get(path, Scores()),
        )
        yield ContextCandidate(scope, hit, stored, measured)


def _pages(scope: SearchScope) -> list[str]:
    root = scope.workspace.root
    found = (path.relative_to(root).as_posix() for path in (root / FOLDER).rglob("*.md") if path.is_file())
    return sorted(filter(scope.workspace.layout.holds, found), reverse=True)[:MOST]


def _nearest(pool: Pool) -> dict[str, int]:
    """For each page the key of its entry that is nearest in meaning."""
    found: dict[str, tuple[float, int]] = {}
    for one in pool.candidates:
        if one.kind is Kind.EPISODE and one.cosine is not None:
            path = pool.entry(one.key).path
            found[path] = max(found.get(path, (-1.0, 0)), (one.cosine, one.key))
    return {path: key for path, (_, key) in found.items()}


def _stored(path: str, data: bytes) -> Stored | None:
    """The abstract as the index would have it; None where the page has none."""
    header = read_front_matter(data)
    if header is None or header.problem or not (said := header.text("l0_abstract")):
        return None
    line = data.count(b"\n", 0, data.find(_FIELD) + 1) + 1
    trust = header.text("trust") or "unknown"
    return Stored(
        path=path,
        kind=Kind.EPISODE,
        date=parse_day(header.text("started_at")) or parse_day(header.text("created_at")),
        start_line=line,
        end_line=line,
        heading=(),
        hash="",
        ordinal=1,
        text=said,
        stamp=_NO_STAMP,
        facets=Facets(
            trust=trust if trust in TRUST else "unknown",
            user=header.text("user") or "",
            names=header.list("key_topics"),
            sources=tuple(filter(None, [header.text("session")])),
        ),
    )
