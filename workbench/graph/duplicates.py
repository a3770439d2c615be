"""Entities that may be one, found by the vectors of their names or by these alone; nothing is merged here.

Automation merges only pairs that pass every bar: the same type, cosine >= 0.98, Jaro-Winkler >= 0.85, no
guard of ``why_apart``, no relation between the two, no contradiction, no person's word against it. From 0.90
on a pair is shown to a person, and so is a person who may be called by a part of the name of just one other
(`Vogt`, `Henning Vogt`). Facts are never merged by likeness: related facts score as high as duplicate ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from workbench.frozen import frozen_kw_only
from workbench.graph.contradictions import clash
from workbench.graph.model import Graph
from workbench.memory.claims import claim_key
from workbench.memory.graph_page import Entity, name_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.embedding.port import Embedder


_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d")
_ROMAN = re.compile(r"[ivx]{1,5}")
_APART = (
    ("north", "south", "east", "west"),
    ("old", "new"),
    ("internal", "external"),
    ("frontend", "backend", "front", "back"),
    ("client", "server"),
    ("production", "prod", "staging", "stage", "dev", "development", "test", "testing"),
    ("upper", "lower"),
    ("senior", "junior", "sr", "jr"),
    ("first", "second", "third"),
    ("left", "right"),
    ("alpha", "beta", "gamma", "delta"),
)
"""Words of which a name has one, and another name the other: they are two of a kind."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, blind to case, accents and punctuation."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return tuple(_WORD.findall("".join(c for c in plain if not unicodedata.combining(c))))


def likeness(one: str, other: str) -> float:
    """The Jaro-Winkler similarity of two names in [0, 1], blind to case, accents and punctuation."""
    from rapidfuzz.distance import JaroWinkler  # noqa: PLC0415 - for those who look for duplicates alone

    return float(JaroWinkler.similarity(" ".join(words_of(one)), " ".join(words_of(other))))


def why_apart(one: str, other: str, kind: str) -> str:
    """Why two names must never be taken for one without a person; empty where nothing says so.

    Numbers that differ (`Atlas v1`, `Atlas v2`), words of a series (`staging`, `production`), and of people
    any name that differs: `Anna` and `Anne` are two, and so may `Sarah` and `Sarah Chen` be.
    """
    first, second = words_of(one), words_of(other)
    if sorted(filter(_is_number, first)) != sorted(filter(_is_number, second)):
        return "their numbers differ"
    lost, won = Counter(first) - Counter(second), Counter(second) - Counter(first)
    for series in _APART:
        if any(word in series for word in (*lost, *won)):
            return "their names are those of two different things"
    if kind == "person" and (lost or won):
        return "people with different names are never merged automatically"
    return ""


def numbered_apart(one: str, other: str) -> bool:
    """Whether both names have numbers in digits, and others: `gauge 7` and `gauge 12` are two of a row."""
    first, second = (sorted(word for word in words_of(name) if _DIGITS.search(word)) for name in (one, other))
    return bool(first) and bool(second) and first != second


def _is_number(word: str) -> bool:
    return bool(_DIGITS.search(word)) or bool(_ROMAN.fullmatch(word)) or (len(word) == 1 and word.isalpha())


MERGE_COSINE = 0.98
MERGE_NAMES = 0.85
"""Cosine and Jaro-Winkler similarity of the names from which two entities are merged without asking."""
FLAG = 0.90
"""Cosine (or, without vectors, similarity of names) from which a person is asked."""
NEAREST = 3
"""Neighbours of an entity that are looked at."""
_BLOCK = 512
"""Entities whose cosines with all others of their type are computed at once."""
_PART = "the name of one is part of the other's, and of no other"
_BUCKET = 200
"""A word that more names than this share says nothing."""


@frozen_kw_only
class Duplicate:
    """Two pages that may be of one entity. ``keep`` is the one that says more.

    ``cosine`` is that of their names in [-1, 1], None where no vectors were made; ``names`` the Jaro-Winkler
    similarity. ``automatic``: every bar is passed; else ``why`` says what speaks against it.
    """

    keep: Entity
    other: Entity
    cosine: float | None
    names: float
    automatic: bool
    why: str

    @property
    def key(self) -> str:
        """The name of the question whether these two are one."""
        return same_key(self.keep, self.other)


def same_key(one: Entity, other: Entity) -> str:
    """The name of the question whether two entities are one, whichever is named first."""
    return claim_key("same " + " ".join(sorted((f"{one.type} {one.name}", f"{other.type} {other.name}"))))


def duplicates(
    graph: Graph,
    *,
    today: date,
    embedder: Embedder | None = None,
    decided: Collection[str] = (),
    of: Collection[str] | None = None,
) -> tuple[Duplicate, ...]:
    """Pairs of entities of one type that may be one, the likest first.

    ``of`` are the paths of the pages to look for duplicates of; None for all. ``decided`` are keys of pairs
    that a person has answered. Without ``embedder`` the names alone are compared, and nothing is automatic.
    Of every entity its nearest three are looked at; time and memory are those of comparing ``of`` with all.
    """
    by_type: dict[str, list[Entity]] = defaultdict(list)
    for entity in graph.entities:
        if entity.problem is None:
            by_type[entity.type].append(entity)
    found: dict[tuple[str, str], Duplicate] = {}
    for group in by_type.values():
        asked = [at for at, entity in enumerate(group) if of is None or entity.path in of]
        pairs = _by_vector(group, asked, embedder) if embedder else _by_name(group, asked)
        parts = _parts(group, asked)
        for one, other, cosine in (*pairs, *((*pair, None) for pair in parts)):
            first, second = sorted((group[one], group[other]), key=_worth, reverse=True)
            if (first.path, second.path) in found or same_key(first, second) in decided:
                continue
            part = (one, other) in parts or (other, one) in parts
            if (duplicate := _judged(graph, first, second, cosine, today, part=part)) is not None:
                found[first.path, second.path] = duplicate
    return tuple(
        sorted(found.values(), key=lambda d: (-(d.cosine or 0.0), -d.names, d.keep.path, d.other.path))
    )


def _judged(
    graph: Graph, keep: Entity, other: Entity, cosine: float | None, today: date, *, part: bool
) -> Duplicate | None:
    """What is to be done with a pair; None where it is not like enough, and no ``part`` of the other."""
    names = likeness(keep.name, other.name)
    share = bool(keep.keys & other.keys)
    if not (share or part) and (
        (cosine if cosine is not None else names) < FLAG or numbered_apart(keep.name, other.name)
    ):
        return None
    why = _PART if part and not share else _against(graph, keep, other, cosine, names, today)
    return Duplicate(keep=keep, other=other, cosine=cosine, names=names, automatic=not why, why=why)


def _against(
    graph: Graph, keep: Entity, other: Entity, cosine: float | None, names: float, today: date
) -> str:
    """What keeps automation from merging two entities; empty where nothing does."""
    if cosine is None:
        return "without an embedding model nothing is merged automatically"
    if cosine < MERGE_COSINE or names < MERGE_NAMES:
        return f"like, not the same: cosine {cosine:.2f}, names {names:.2f}"
    if keep.pinned or other.pinned:
        return "a pinned page is only merged by a person"
    related = {link.target.path for link in graph.relations_of(keep) if link.target}
    if other.path in related.union(link.source.path for link in graph.relations_to(keep)):
        return "one of them is related to the other"
    if why := why_apart(keep.name, other.name, keep.type):
        return why
    slot = clash(graph, keep, other, today)
    return f"they contradict each other: {slot}" if slot else ""


def _by_vector(
    group: Sequence[Entity], asked: Sequence[int], embedder: Embedder
) -> Iterator[tuple[int, int, float | None]]:
    """The nearest of each entity that is asked about, by the cosine of their names."""
    if len(group) < 2 or not asked:
        return
    import numpy as np  # noqa: PLC0415

    vectors: NDArray[np.float32] = embedder.embed([entity.name for entity in group])
    for start in range(0, len(asked), _BLOCK):
        rows = asked[start : start + _BLOCK]
        cosines = vectors[rows] @ vectors.T
        cosines[np.arange(len(rows)), rows] = -2.0
        count = min(NEAREST, len(group) - 1)
        nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        for row, near in zip(range(len(rows)), nearest.tolist(), strict=True):
            for at in near:
                yield rows[row], at, float(cosines[row, at])


def _parts(group: Sequence[Entity], asked: Sequence[int]) -> frozenset[tuple[int, int]]:
    """People of one name with the only other whose first or last name it is, where one is asked about."""
    called: dict[str, set[int]] = defaultdict(set)
    for at, entity in enumerate(group):
        words = name_key(entity.name).split() if entity.type == "person" else []
        for word in {words[0], words[-1]} if len(words) > 1 else ():
            called[word].add(at)
    wanted = set(asked)
    alone = ((at, called.get(name_key(entity.name), set())) for at, entity in enumerate(group))
    pairs = ((at, *others) for at, others in alone if len(others) == 1)
    return frozenset((at, other) for at, other in pairs if wanted & {at, other})


def _by_name(group: Sequence[Entity], asked: Sequence[int]) -> Iterator[tuple[int, int, float | None]]:
    """The entities that share a name, a word of it or its first letters, the likest three of each."""
    buckets: dict[str, list[int]] = defaultdict(list)
    for at, entity in enumerate(group):
        for key in _keys(entity):
            buckets[key].append(at)
    for at in asked:
        near = {n for key in _keys(group[at]) if len(buckets[key]) <= _BUCKET for n in buckets[key]} - {at}
        ranked = sorted(near, key=lambda n: (-likeness(group[at].name, group[n].name), n))
        for other in ranked[:NEAREST]:
            yield at, other, None


def _keys(entity: Entity) -> set[str]:
    words = words_of(entity.name)
    keys = {f"word {word}" for word in words} | {f"name {key}" for key in entity.keys}
    return keys | {f"start {''.join(words)[:4]}"}


def _worth(entity: Entity) -> tuple[int, float, int, str]:
    """How much a page says: lines, how sure they are, how long it has been there."""
    lines = len(entity.memories) + len(entity.relations)
    sure = max((memory.confidence for memory in entity.memories), default=0.0)
    since = entity.valid_from.toordinal() if entity.valid_from else date.max.toordinal()
    return lines, sure, -since, entity.path
