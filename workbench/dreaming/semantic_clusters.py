"""Claims that are nearly the same in other words, by the vectors that the index has of their texts.

No vector is computed for this: a text that the index does not know is compared by its words alone. Not all
pairs are compared. Each vector is sketched by the sides of random planes on which it lies (M. Charikar,
“Similarity estimation techniques from rounding algorithms”, 2002): two whose cosine is c differ in a share
of arccos(c)/pi of their bits. Sorted by several shuffles of these bits, near vectors become neighbours, and
only neighbours are compared exactly: n log n in time, 32 bytes a claim in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.memory.near_duplicates import distinction
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.sync.known_vectors import KnownVectors

SAME_MEANING = 0.9
"""Cosine from which two claims may be one."""
_BITS = 256
_SHUFFLES = 32
_NEIGHBOURS = 4
_APART = 60
"""Bits in which two sketches may differ: at a cosine of 0.9 it is 37 on average, with a deviation of 5.6."""
_MOST_PAIRS = 1_000_000
_BLOCK = 4_096
"""Texts whose vectors are in memory at the same time."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Pairs of keys whose claims are near in meaning, and what to tell of how they were found."""

    pairs: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def alike_in_meaning(workspace: Workspace, texts: Mapping[str, str], claims: Mapping[str, str]) -> Alike:
    """Pairs of claims whose ``texts``, as the index holds them, have a cosine of at least 0.9; both by key.

    Claims that differ in a number, a name or a word that turns them round are no pair, however near.
    """
    if len(texts) < 2:
        return Alike()
    from indexing.sync.known_vectors import open_known  # noqa: PLC0415 - imports numpy and the index

    known = open_known(workspace)
    if known is None:
        return Alike(notes=("the index has no vectors: what is said in other words was not folded",))
    try:
        keys, sketches = _sketched(known, texts)
        pairs = tuple(_near(known, keys, sketches, texts, claims))
    finally:
        known.close()
    missing = len(texts) - len(keys)
    notes = (f"{missing:,} of {len(texts):,} claims have no vector, and were compared by their words alone",)
    return Alike(pairs, notes if missing else ())


def _sketched(known: KnownVectors, texts: Mapping[str, str]) -> tuple[list[str], NDArray[np.uint8]]:
    """The keys whose texts have vectors, and (n, 32) the sketches of these."""
    import numpy as np  # noqa: PLC0415

    planes = np.random.default_rng(7).standard_normal((known.dimension, _BITS)).astype(np.float32)
    keys: list[str] = []
    rows: list[NDArray[np.uint8]] = [np.zeros((0, _BITS // 8), np.uint8)]
    every = list(texts)
    for start in range(0, len(every), _BLOCK):
        block = every[start : start + _BLOCK]
        found = known.of([texts[key] for key in block])
        here = [key for key in block if texts[key] in found]
        if here:
            matrix = np.stack([found[texts[key]] for key in here])
            rows.append(np.packbits(matrix @ planes > 0, axis=1))
            keys += here
    return keys, np.concatenate(rows)


def _near(
    known: KnownVectors,
    keys: Sequence[str],
    sketches: NDArray[np.uint8],
    texts: Mapping[str, str],
    claims: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """The pairs of keys whose vectors are as near as they must be."""
    import numpy as np  # noqa: PLC0415

    said = (distinction(claims[key]) for key in keys)
    kind = np.array([hash((one.numbers, one.turns)) for one in said], np.int64)
    near = _neighbours(sketches)
    near = near[kind[near[:, 0]] == kind[near[:, 1]]]  # which costs less than reading their vectors again
    pairs = near.tolist()
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        vectors = known.of(list({texts[keys[n]] for pair in block for n in pair}))
        for one, other in block:
            left, right = vectors.get(texts[keys[one]]), vectors.get(texts[keys[other]])
            if left is not None and right is not None and float(np.dot(left, right)) >= SAME_MEANING:
                yield keys[one], keys[other]


def _neighbours(sketches: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(m, 2) pairs of rows that stand beside each other in some shuffle and differ in few bits, in order."""
    import numpy as np  # noqa: PLC0415

    count = len(sketches)
    random = np.random.default_rng(5)
    words = np.ascontiguousarray(sketches).view(np.uint64)
    pairs = np.zeros(0, np.int64)  # each as the first row times the count, plus the second
    found: list[NDArray[np.int64]] = []
    for _ in range(_SHUFFLES if count > 1 else 0):
        bits = random.choice(_BITS, 64, replace=False)
        shuffled = (sketches[:, bits // 8] >> (7 - bits % 8).astype(np.uint8)) & np.uint8(1)
        order = np.argsort(_numbers(shuffled), kind="stable")
        for step in range(1, min(_NEIGHBOURS, count - 1) + 1):
            left, right = order[step:], order[:-step]
            near = np.bitwise_count(words[left] ^ words[right]).sum(axis=1) <= _APART
            first, second = np.minimum(left, right)[near], np.maximum(left, right)[near]
            found.append(first * count + second)
        if sum(map(len, found)) > max(_MOST_PAIRS, len(pairs)):  # or else most would be held many times
            pairs, found = np.unique(np.concatenate([pairs, *found])), []
    pairs = np.unique(np.concatenate([pairs, *found]))
    return np.stack([pairs // max(1, count), pairs % max(1, count)], axis=1)


def _numbers(bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """(n,) the numbers that (n, 64) bits write, the first bit first."""
    import numpy as np  # noqa: PLC0415

    return np.ascontiguousarray(np.packbits(bits, axis=1)).view(">u8").ravel().astype(np.uint64)
