"""The same said twice: word for word, nearly so, or in other words. Linear in the entries, not quadratic.

Near-duplicates are found by ``memory.likeness`` and then compared exactly. Those in other words are found
among curated entries by the vectors that the index has of their texts, if any.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from workbench.health.finding import Finding, Fix
from workbench.health.memory_checks import place_of, remark
from workbench.health.subject import CURATED, Corpus
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
_MERGED = 9
"""Entries that are offered to be made one of."""
_TWICE = "it takes room twice, and one of the two will be edited without the other"
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
            yield from _exact(corpus, group)
    firsts = [group[0] for group in groups.values()]
    words = [bag_of_words(entry.text) for entry in firsts]
    near: set[tuple[int, int]] = set()
    for one, other in sorted(near_pairs(words)):
        alike = jaccard(words[one], words[other]) >= SAME_WORDS
        if alike and _may_be_one(firsts[one], firsts[other]):
            near.add((one, other))
            yield _near(corpus, firsts[one], firsts[other], "nearly the same words as")
    yield from _by_meaning(corpus, firsts, near)


def _counts(entry: Entry) -> bool:
    if entry.form in (Form.HEADING, Form.CODE, Form.HTML) or entry.parts > 1:
        return False
    least = 2 if entry.kind in CURATED else FEWEST_WORDS
    return len(_WORD.findall(entry.text[:400])) >= least


def _exact(corpus: Corpus, group: Sequence[Entry]) -> Iterator[Finding]:
    """One remark a group: on curated entries that are there twice, else on logs that repeat."""
    curated = [entry for entry in group if entry.kind in CURATED]
    severe = len(curated) > 1
    first, *others = curated if severe else group
    others = [other for other in others if severe or not _is_copy(first, other)]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        places = ", ".join(map(place_of, others[:3])) + more
        what = f"the same stands at {places}: {first.plain_title[:80]}"
        yield _twice(corpus, "duplicate", what, first, others, severe=severe)


def _near(corpus: Corpus, one: Entry, other: Entry, how: str) -> Finding:
    what = f"{how} {place_of(other)}: {other.plain_title[:80]}"
    severe = one.kind in CURATED and other.kind in CURATED
    return _twice(corpus, "near duplicate", what, one, [other], severe=severe)


def _twice(
    corpus: Corpus, rule: str, what: str, one: Entry, others: Sequence[Entry], *, severe: bool
) -> Finding:
    every = tuple(entry.address for entry in (one, *others))[:_MERGED]
    return remark(
        corpus,
        rule,
        one.path,
        one.start_line,
        what,
        severity="warning" if severe else "info",
        meaning=_TWICE,
        do="`workbench merge` makes one of them" if severe else "",
        others=others,
        fixes=(Fix(deed="merge", label=f"make one of these {len(every)}", addresses=every),),
        deeds=("forget", "edit"),
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
    from indexing.sync.known_vectors import open_known  # noqa: PLC0415 - imports numpy

    at = [n for n, entry in enumerate(firsts) if entry.kind in CURATED][:MOST_BY_MEANING]
    store = open_known(corpus.workspace)
    if store is None:
        return
    with closing(store):
        vectors = store.of([firsts[n].text for n in at])
    kept = [(n, vectors[firsts[n].text]) for n in at if firsts[n].text in vectors]
    if len(kept) < 2:
        return
    import numpy as np  # noqa: PLC0415

    matrix = np.stack([vector for _, vector in kept])
    rows, columns = np.nonzero(np.triu(matrix @ matrix.T, 1) >= SAME_MEANING)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        one, other = kept[row][0], kept[column][0]
        if (one, other) not in known and _may_be_one(firsts[one], firsts[other]):
            yield _near(corpus, firsts[one], firsts[other], "nearly the same, in other words, as")
