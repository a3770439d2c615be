"""The same said twice: word for word, nearly so, or in other words. Linear in the entries, not quadratic.

Near-duplicates are found by ``memory.likeness`` and then compared exactly. Those in other words are found
among curated entries by the vectors that the index has of their texts, if any.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from workbench.health.corpus import CURATED, Corpus, place_of
from workbench.health.finding import Finding
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.near_duplicates import bag_of_words, jaccard, near_pairs

SAME_WORDS = 0.85
"""Share of words in common (Jaccard) from which two entries say nearly the same."""
SAME_MEANING = 0.93
"""Cosine from which two curated entries say the same in other words."""
FEWEST_WORDS = 4
"""Shorter entries (`done`, `same as before`) repeat by nature."""
MOST_BY_MEANING = 4_000
"""Curated entries that are compared with each other by meaning: their number squared is computed."""
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d")


def duplicates(corpus: Corpus) -> Iterator[Finding]:
    """Entries that say what another one says. Curated ones are warned of; logs repeat, and are only told.

    A copy and the entry that it was promoted from are not two.
    """
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in corpus.entries:
        if _counts(entry):
            groups[entry.hash, _subject(entry)].append(entry)
    for group in groups.values():
        if len(group) > 1:
            yield from _exact(group)
    firsts = [group[0] for group in groups.values()]
    words = [bag_of_words(entry.text) for entry in firsts]
    near: set[tuple[int, int]] = set()
    for one, other in sorted(near_pairs(words)):
        alike = jaccard(words[one], words[other]) >= SAME_WORDS
        if alike and _may_be_one(firsts[one], firsts[other]):
            near.add((one, other))
            yield _near(firsts[one], firsts[other], "nearly the same words as")
    yield from _by_meaning(corpus, firsts, near)


def _counts(entry: Entry) -> bool:
    if entry.form in (Form.HEADING, Form.CODE, Form.HTML) or entry.parts > 1:
        return False
    least = 2 if entry.kind in CURATED else FEWEST_WORDS
    return len(_WORD.findall(entry.text[:400])) >= least


def _exact(group: Sequence[Entry]) -> Iterator[Finding]:
    """One remark a group: on curated entries that are there twice, else on logs that repeat."""
    curated = [entry for entry in group if entry.kind in CURATED]
    about = curated if len(curated) > 1 else list(group)
    severe = len(curated) > 1
    first, *others = about
    others = [other for other in others if severe or not _is_copy(first, other)]
    if not others:
        return
    places = tuple(map(place_of, others))
    yield Finding(
        rule="duplicate",
        severity="warning" if severe else "info",
        address=first.path,
        line=first.start_line,
        what=f"the same stands at {_few(places)}: {first.plain_title[:80]}",
        do="`workbench merge` makes one of them" if severe else "",
        also=places,
    )


def _near(one: Entry, other: Entry, how: str) -> Finding:
    severe = one.kind in CURATED and other.kind in CURATED
    return Finding(
        rule="near duplicate",
        severity="warning" if severe else "info",
        address=one.path,
        line=one.start_line,
        what=f"{how} {place_of(other)}: {other.plain_title[:80]}",
        do="`workbench merge` makes one of them" if severe else "",
        also=(place_of(other),),
    )


def _is_copy(one: Entry, other: Entry) -> bool:
    """Whether one of two entries says that it comes from the file of the other."""
    for copy, source in ((one, other), (other, one)):
        said = copy.provenance.all("src") if copy.provenance else ()
        if any(path.partition("#")[0] == source.path for path in said):
            return True
    return (one.kind in CURATED) != (other.kind in CURATED)  # what was chosen was said somewhere first


def _subject(entry: Entry) -> str:
    """What an entry is about beside its words: on a page of the graph, the page."""
    return entry.path if entry.kind is Kind.ENTITY else ""


def _may_be_one(one: Entry, other: Entry) -> bool:
    """Whether two that sound alike are about the same.

    Those that differ in their numbers only are of two occasions, or contradict each other.
    """
    if one.kind is Kind.ENTITY and other.kind is Kind.ENTITY and one.path != other.path:
        return False
    return sorted(_numbers(one)) == sorted(_numbers(other)) and not _is_copy(one, other)


def _numbers(entry: Entry) -> Iterable[str]:
    return (word for word in _WORD.findall(entry.text) if _DIGITS.search(word))


def _by_meaning(corpus: Corpus, firsts: Sequence[Entry], known: set[tuple[int, int]]) -> Iterator[Finding]:
    """Curated entries that are near each other by the vectors of their texts, as far as these are known."""
    from workbench.health.cached_vectors import text_vectors  # noqa: PLC0415 - imports numpy

    at = [n for n, entry in enumerate(firsts) if entry.kind in CURATED][:MOST_BY_MEANING]
    vectors = text_vectors(corpus.workspace, [firsts[n].text for n in at])
    if vectors is None:
        return
    kept = [(n, vectors[firsts[n].text]) for n in at if firsts[n].text in vectors]
    if len(kept) < 2:
        return
    import numpy as np  # noqa: PLC0415

    matrix = np.stack([vector for _, vector in kept])
    rows, columns = np.nonzero(np.triu(matrix @ matrix.T, 1) >= SAME_MEANING)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        one, other = kept[row][0], kept[column][0]
        if (one, other) not in known and _may_be_one(firsts[one], firsts[other]):
            yield _near(firsts[one], firsts[other], "nearly the same, in other words, as")


def _few(places: Sequence[str]) -> str:
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(places[:3]) + more
